"""Covariance functions over the unit cube, and which rows they hold comparable."""
