"""Further settings of libraries' estimators, beyond declared hyperparameters.

The settings are read from the libraries themselves (:mod:`~studio.learners.library.base`); those
controlled by a run (threads, seeds, the objective, …) are rejected with the reason.
"""
