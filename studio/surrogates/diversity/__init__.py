"""Surrogates of how differently two configurations predict, one file each (DivBO 3.1)."""
