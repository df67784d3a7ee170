"""Differences between operating systems, a file each; no other code checks the system."""
