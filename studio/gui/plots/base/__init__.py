"""Foundations of plots: frame, header, subjects, requests to the helper."""
