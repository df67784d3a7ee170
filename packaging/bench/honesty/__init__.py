"""Simulations of the program's intervals and tests: coverage and error rates.

One module a section of docs/studies/honesty.md, in the registry; ``packaging/honesty.py`` runs
them.
"""
