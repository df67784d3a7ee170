"""Acquisition maximisers: search for the best untried configuration."""
