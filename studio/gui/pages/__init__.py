"""Pages, a folder each, independent of each other and of the window."""
