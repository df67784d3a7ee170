"""The story of a run as slides, for presentations."""
