"""Metrics of trials and ensembles; all are losses, lower is better."""
