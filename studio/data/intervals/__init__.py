"""Confidence intervals of losses, from a sample of rows."""
