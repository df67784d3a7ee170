"""Plots that answer how good a run is: progress, errors, what the ensemble looks at."""
