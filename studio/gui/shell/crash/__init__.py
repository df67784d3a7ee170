"""Handling of uncaught errors of the window: a message, a report, and continuation."""
