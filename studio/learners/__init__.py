"""Learners: models that a configuration trains, one file a family, as scikit-learn objects."""
