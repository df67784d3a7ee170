"""Plots of the search: surrogate, diversity, all hyperparameters at once."""
