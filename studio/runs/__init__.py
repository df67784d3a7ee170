"""Runs: the loop, the workers with their limits, and their records in the document."""
