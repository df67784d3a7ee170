"""Further settings of libraries' estimators, beyond declared hyperparameters.

Each library says itself what its estimators take (:mod:`~studio.learners.library.base`); what a run
decides (threads, seeds, the objective, …) is refused with the reason.
"""
