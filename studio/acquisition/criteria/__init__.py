"""Criteria: a number for what a surrogate predicts, higher is more worth trying."""
