"""Plots of a run's quality: progress, errors, columns."""
