"""Boosting of scikit-learn on one thread: AdaBoost and gradient-boosted trees."""

from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from studio.learners.base import CLASSIFICATION, REGRESSION, Learner
from studio.learners.domains import (
    SHARE,
    LowerBoundedInteger,
    Positive,
    StringOptions,
    make_settings,
)
from studio.learners.facts import TableFacts
from studio.learners.forests import compute_columns_per_split
from studio.learners.library import SCIKIT_LEARN
from studio.learners.values import LearnerValues

BOOSTING = make_settings(
    n_estimators=LowerBoundedInteger(),
    learning_rate=Positive(),
    max_depth=LowerBoundedInteger(),
    min_samples_split=LowerBoundedInteger(2),
    min_samples_leaf=LowerBoundedInteger(),
    subsample=SHARE,
    max_features=SHARE,
)

MAX_QUANTILE = 1.0 - 1e-6
"""scikit-learn's Huber loss requires quantiles below 1; 1 would be the squared loss."""


def _make_boosting_settings(values: LearnerValues, facts: TableFacts) -> dict[str, Any]:
    return {
        **values.read(n_estimators=100, learning_rate=0.1, max_depth=3, subsample=1.0),
        **values.read(min_samples_split=2, min_samples_leaf=1),
        "max_features": compute_columns_per_split(values, facts, None),
        "random_state": facts.seed,
    }


@dataclass(frozen=True)
class GradientBoosting(Learner):
    """Gradient boosting of the log loss."""

    key = "gradient-boosting"
    title = "Gradient boosting"
    noun = "gradient boosting"
    short_name = "Boosting"
    colour_index = 5
    summary = (
        "Adds one small tree after another, each correcting what those before got wrong. "
        "Among the most accurate on tables; a small learning rate needs more trees."
    )
    reference = "Friedman 2001; SMBEO 6.1, DivBO A.3"
    tasks = CLASSIFICATION
    library = SCIKIT_LEARN
    hyperparameters = BOOSTING
    needs_scaling = False

    def make_estimator(self, values: LearnerValues, facts: TableFacts) -> Any:
        from sklearn.ensemble import GradientBoostingClassifier

        return GradientBoostingClassifier(**_make_boosting_settings(values, facts))


@dataclass(frozen=True)
class GradientBoostingRegressor(GradientBoosting):
    """Gradient boosting of the squared, the absolute or the Huber loss.

    SMBEO 6.1 describes a convex combination of squared and absolute loss; its authors' code uses
    the Huber loss with its quantile ``alpha`` in [1e-4, 1], as here: residuals below the
    alpha-quantile count squared, those above it by their absolute value.
    """

    key = "gradient-boosting-regressor"
    title = "Gradient boosting (regression)"
    summary = (
        "Adds one small tree after another, each correcting what those before got wrong. "
        "Among the most accurate on tables; its loss says how much large errors count."
    )
    reference = "Friedman 2001; SMBEO 6.1"
    tasks = REGRESSION
    prediction_type = "values"
    hyperparameters = make_settings(
        **BOOSTING, loss=StringOptions("squared_error", "absolute_error", "huber"), alpha=SHARE
    )

    def make_estimator(self, values: LearnerValues, facts: TableFacts) -> Any:
        from sklearn.ensemble import GradientBoostingRegressor as Estimator

        return Estimator(
            loss=values.get_word("loss"),
            alpha=values.get_number("alpha", 0.9, high=MAX_QUANTILE),
            **_make_boosting_settings(values, facts),
        )


@dataclass(frozen=True)
class AdaBoost(Learner):
    """AdaBoost (SAMME) of small decision trees, by default stumps."""

    key = "adaboost"
    title = "AdaBoost"
    noun = "AdaBoost"
    colour_index = 13
    summary = (
        "Adds one very small tree after another, each focusing on the rows predicted wrongly so "
        "far. Good on clean tables; mislabelled rows mislead it."
    )
    reference = "Freund & Schapire 1997, Hastie et al. 2009; EO 4.2"
    tasks = CLASSIFICATION
    library = SCIKIT_LEARN
    library_names = MappingProxyType({"estimator__max_depth": "max_depth"})
    monotone = True
    hyperparameters = make_settings(
        n_estimators=LowerBoundedInteger(),
        learning_rate=Positive(),
        max_depth=LowerBoundedInteger(),
    )
    needs_scaling = False

    def make_estimator(self, values: LearnerValues, facts: TableFacts) -> Any:
        from sklearn import ensemble, tree

        if facts.task == "regression":
            make, weak, max_depth = ensemble.AdaBoostRegressor, tree.DecisionTreeRegressor, 3
        else:
            make, weak, max_depth = ensemble.AdaBoostClassifier, tree.DecisionTreeClassifier, 1
        return make(
            weak(
                max_depth=values.get_integer("max_depth", max_depth),
                **facts.make_constraint("monotonic_cst"),
            ),
            **values.read(n_estimators=30, learning_rate=1.0),
            random_state=facts.seed,
        )


@dataclass(frozen=True)
class AdaBoostRegressor(AdaBoost):
    """AdaBoost.R2 of regression trees, by default of depth three."""

    key = "adaboost-regressor"
    title = "AdaBoost (regression)"
    summary = (
        "Adds one small tree after another, each focusing on the rows with the largest errors. "
        "Good on clean tables; outliers mislead it."
    )
    reference = "Drucker 1997"
    tasks = REGRESSION
    prediction_type = "values"
