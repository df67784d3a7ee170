"""Foundations of the window: theme, language, preferences, child processes."""
