"""The story of a run on a few slides, for an audience."""
