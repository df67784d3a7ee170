"""Runs: the loop, the workers with their limits, and what both leave in the document."""
