"""Questions about a result: one file each, listed in their registry."""
