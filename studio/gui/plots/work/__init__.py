"""Plots of resource use: time and memory."""
