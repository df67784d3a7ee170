"""The helper: a process without Qt that computes small arrays and texts for the window."""
