"""Drafts of the next run: table, method, settings."""
