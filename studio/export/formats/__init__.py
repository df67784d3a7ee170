"""Export formats: one file each, and a line in the registry."""
