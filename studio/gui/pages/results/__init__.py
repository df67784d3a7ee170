"""The cards of the results page: predict, take home, train on all rows."""
