"""Plots of how the work is going: what time and memory go into."""
