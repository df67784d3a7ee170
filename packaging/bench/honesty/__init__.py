"""Simulations of what the program says: how often intervals cover, how often tests err.

One module a section of docs/studies/honesty.md, in the registry; ``packaging/honesty.py`` runs
them.
"""
