"""Nearest neighbours."""

from dataclasses import dataclass
from typing import Any

from studio.learners.base import CLASSIFICATION, REGRESSION, Learner
from studio.learners.domains import LowerBoundedInteger, StringOptions, make_settings
from studio.learners.facts import TableFacts
from studio.learners.library import SCIKIT_LEARN
from studio.learners.values import LearnerValues


@dataclass(frozen=True)
class Neighbours(Learner):
    """k nearest neighbours; k is clipped to the number of training rows."""

    key = "knn"
    title = "Nearest neighbours"
    noun = "nearest neighbours"
    short_name = "Neighbours"
    colour_index = 6
    summary = (
        "Looks up the training rows most like the new one and lets them vote. "
        "Simple and local; slow on very large tables."
    )
    reference = "Cover & Hart 1967; EO 4.2"
    tasks = CLASSIFICATION
    supports_sample_weight = False
    library = SCIKIT_LEARN
    hyperparameters = make_settings(
        n_neighbors=LowerBoundedInteger(),
        weights=StringOptions("uniform", "distance"),
        p=LowerBoundedInteger(),
    )

    def make_estimator(self, values: LearnerValues, facts: TableFacts) -> Any:
        from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

        make = KNeighborsRegressor if facts.task == "regression" else KNeighborsClassifier
        return make(
            n_neighbors=values.get_integer("n_neighbors", 5, high=facts.n_rows),
            **values.read("weights", p=2),
            n_jobs=1,
        )


@dataclass(frozen=True)
class NeighboursRegressor(Neighbours):
    """Mean of the k nearest neighbours; k is clipped to the number of training rows."""

    key = "knn-regressor"
    title = "Nearest neighbours (regression)"
    summary = (
        "Looks up the training rows most like the new one and averages their values. "
        "Simple and local; slow on very large tables."
    )
    reference = "Cover & Hart 1967"
    tasks = REGRESSION
    prediction_type = "values"
