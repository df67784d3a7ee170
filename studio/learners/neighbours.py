"""Nearest neighbours."""

from dataclasses import dataclass
from typing import Any

from studio.learners.base import CLASSIFICATION, REGRESSION, Learner
from studio.learners.facts import TableFacts
from studio.learners.takes import Whole, Word, settings
from studio.learners.values import Values

NEIGHBOURS = settings(n_neighbors=Whole(), weights=Word("uniform", "distance"), p=Whole())


def _neighbours(values: Values, facts: TableFacts) -> dict[str, Any]:
    return {
        "n_neighbors": values.whole("n_neighbors", 5, high=facts.n_rows),
        "weights": values.word("weights"),
        "p": values.whole("p", 2),
        "n_jobs": 1,
    }


@dataclass(frozen=True)
class Neighbours(Learner):
    """k nearest neighbours; k is clipped to the number of training rows."""

    key = "knn"
    title = "Nearest neighbours"
    summary = (
        "Looks up the training rows most like the new one and lets them vote. "
        "Simple and local; slow on very large tables."
    )
    reference = "Cover & Hart 1967; EO 4.2"
    tasks = CLASSIFICATION
    hyperparameters = NEIGHBOURS

    def estimator(self, values: Values, facts: TableFacts) -> Any:
        """Return a ``KNeighborsClassifier``."""
        from sklearn.neighbors import KNeighborsClassifier

        return KNeighborsClassifier(**_neighbours(values, facts))


@dataclass(frozen=True)
class NeighboursRegressor(Learner):
    """Mean of the k nearest neighbours; k is clipped to the number of training rows."""

    key = "knn-regressor"
    title = "Nearest neighbours (regression)"
    summary = (
        "Looks up the training rows most like the new one and averages their values. "
        "Simple and local; slow on very large tables."
    )
    reference = "Cover & Hart 1967"
    tasks = REGRESSION
    predicts = "values"
    hyperparameters = NEIGHBOURS

    def estimator(self, values: Values, facts: TableFacts) -> Any:
        """Return a ``KNeighborsRegressor``."""
        from sklearn.neighbors import KNeighborsRegressor

        return KNeighborsRegressor(**_neighbours(values, facts))
