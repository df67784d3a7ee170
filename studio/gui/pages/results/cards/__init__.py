"""The cards at the side of the results page: predict, refit, take home, continue."""
