"""Export of a trained ensemble: an estimator of the raw table, a pickle, predictions."""
