"""The metrics by which trials and ensembles are judged; all are losses, lower is better."""
