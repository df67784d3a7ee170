"""A run's surrogate at any iteration, for plots.

Proposers are functions of history and seed, so nothing has to be kept for this: the run's own
proposer is asked again, with the history as it was.
"""
