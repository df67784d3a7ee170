"""Acquisition: how promising a configuration is, and finding the most promising (METHODS 3)."""
