"""Losses of ensembles, computed from running votes or running sums (docs/methods/eo.md)."""
