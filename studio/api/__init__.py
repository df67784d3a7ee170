"""Python API: ensemble search with scikit-learn's conventions."""
