"""A run's surrogate at any iteration, for plots.

Proposers are functions of history and seed, so nothing needs to be stored: the run's proposer is
called again with the history at that time.
"""
