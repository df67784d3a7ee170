"""Measurements of the real window, each in a separate process."""
