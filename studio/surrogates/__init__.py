"""Surrogates: probabilistic models of the objective, fitted to the trials so far (docs/methods)."""
