"""AdaBoost."""

from dataclasses import dataclass
from typing import Any

from studio.learners.base import CLASSIFICATION, REGRESSION, Learner
from studio.learners.facts import Facts
from studio.learners.values import Values


@dataclass(frozen=True)
class AdaBoost(Learner):
    """AdaBoost of decision stumps (SAMME)."""

    key = "adaboost"
    title = "AdaBoost"
    summary = (
        "Adds one very small tree after another, each looking at the rows that were wrong so far. "
        "Good on clean tables; mislabelled rows mislead it."
    )
    reference = "Freund & Schapire 1997, Hastie et al. 2009; EO 4.2"
    tasks = CLASSIFICATION
    hyperparameters = ("n_estimators",)
    scaled = False

    def estimator(self, values: Values, facts: Facts) -> Any:
        """Return an ``AdaBoostClassifier``."""
        from sklearn.ensemble import AdaBoostClassifier

        return AdaBoostClassifier(
            n_estimators=values.whole("n_estimators", 30), random_state=facts.seed
        )


@dataclass(frozen=True)
class AdaBoostRegressor(Learner):
    """AdaBoost.R2 of regression trees of depth three."""

    key = "adaboost-regressor"
    title = "AdaBoost (regression)"
    summary = (
        "Adds one small tree after another, each looking at the rows with the largest errors. "
        "Good on clean tables; wild values mislead it."
    )
    reference = "Drucker 1997"
    tasks = REGRESSION
    predicts = "values"
    hyperparameters = ("n_estimators",)
    scaled = False

    def estimator(self, values: Values, facts: Facts) -> Any:
        """Return an ``AdaBoostRegressor``."""
        from sklearn.ensemble import AdaBoostRegressor as Estimator

        return Estimator(n_estimators=values.whole("n_estimators", 30), random_state=facts.seed)
