"""Acquisition: criteria for the next configuration, and their maximisation (docs/methods)."""
