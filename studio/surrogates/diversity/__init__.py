"""Diversity surrogates: the expected disagreement of two configurations (DivBO 3.1)."""
