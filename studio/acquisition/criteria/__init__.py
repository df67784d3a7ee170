"""Acquisition criteria: a score of the surrogate's predictions; higher is more promising."""
