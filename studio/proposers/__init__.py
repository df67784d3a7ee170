"""Proposers: history in, next configuration out; and the papers' methods as choices of parts."""
