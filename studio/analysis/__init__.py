"""Analyses of a run for display: surrogate, ensemble and errors."""
