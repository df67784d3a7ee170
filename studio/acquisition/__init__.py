"""Acquisition: how promising a configuration is, and finding the most promising (docs/methods)."""
