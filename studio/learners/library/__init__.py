"""Settings of libraries' estimators that no learner declares: found, described, checked, passed on.

Each library says itself what its estimators take (:mod:`~studio.learners.library.base`); what a run
decides (threads, seeds, the objective, …) is refused with the reason.
"""
