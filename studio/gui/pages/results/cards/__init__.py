"""Cards at the side of the Results page: predict, refit, export, continue."""
