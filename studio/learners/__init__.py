"""Learners: the models that configurations train, as scikit-learn objects, one file per family."""
