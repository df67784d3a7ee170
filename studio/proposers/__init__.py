"""Proposers: from the history to the next configuration; and the papers' methods as presets."""
