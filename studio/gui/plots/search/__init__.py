"""Plots of what the search expects and has tried: surrogate, diversity, all settings at once."""
