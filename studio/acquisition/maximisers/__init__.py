"""Maximisers: find the configuration of the highest acquisition that was not tried yet."""
