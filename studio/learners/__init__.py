"""Learners: what a configuration trains, one file a family, built of plain scikit-learn objects."""
