"""Covariance functions over the unit cube."""
