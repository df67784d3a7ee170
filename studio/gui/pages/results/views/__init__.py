"""Views of the questions about a result, one per file, listed in their registry."""
