"""From Python: searches for ensembles with scikit-learn's conventions."""
