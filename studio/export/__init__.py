"""Taking a trained ensemble home: an estimator of the raw table, a pickle, predictions."""
