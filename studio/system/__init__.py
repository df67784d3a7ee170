"""Differences between operating systems, by topic; no other code checks the system."""
