"""Acquisition maximisers: search for the best configuration that was not tried yet."""
