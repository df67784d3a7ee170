"""Covariance functions over the unit cube, and the rows that they compare."""
