"""Losses of ensembles, computed from running votes or running sums (METHODS 6)."""
