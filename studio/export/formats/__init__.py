"""What a run can be taken home as: one file a format, and its line in the registry."""
