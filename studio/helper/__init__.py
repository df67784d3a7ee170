"""The helper: a process without Qt that computes arrays and texts for the window."""
