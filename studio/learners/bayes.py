"""Naive Bayes."""

from dataclasses import dataclass
from typing import Any

from studio.learners.base import CLASSIFICATION, Learner
from studio.learners.facts import TableFacts
from studio.learners.library.scikit_learn import SCIKIT_LEARN
from studio.learners.values import Values


@dataclass(frozen=True)
class NaiveBayes(Learner):
    """Gaussian naive Bayes; no hyperparameters."""

    key = "naive-bayes"
    title = "Naive Bayes"
    noun = "naive Bayes"
    place = 11
    summary = (
        "Treats every column as an independent bell curve in each class. Very fast and rough; "
        "often a usefully different member of an ensemble."
    )
    reference = "EO 4.2"
    tasks = CLASSIFICATION
    library = SCIKIT_LEARN
    weighted = True

    def estimator(self, values: Values, facts: TableFacts) -> Any:
        """Return a ``GaussianNB``."""
        from sklearn.naive_bayes import GaussianNB

        return GaussianNB()
