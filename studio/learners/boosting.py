"""AdaBoost."""

from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from studio.learners.base import CLASSIFICATION, REGRESSION, Learner
from studio.learners.domains import Positive, Whole, settings
from studio.learners.facts import TableFacts
from studio.learners.library.scikit_learn import SCIKIT_LEARN
from studio.learners.values import Values


@dataclass(frozen=True)
class AdaBoost(Learner):
    """AdaBoost (SAMME) of small decision trees, stumps where no depth is given."""

    key = "adaboost"
    title = "AdaBoost"
    noun = "AdaBoost"
    place = 10
    summary = (
        "Adds one very small tree after another, each looking at the rows that were wrong so far. "
        "Good on clean tables; mislabelled rows mislead it."
    )
    reference = "Freund & Schapire 1997, Hastie et al. 2009; EO 4.2"
    tasks = CLASSIFICATION
    library = SCIKIT_LEARN
    renamed = MappingProxyType({"estimator__max_depth": "max_depth"})
    weighted = True
    monotone = True
    hyperparameters = settings(n_estimators=Whole(), learning_rate=Positive(), max_depth=Whole())
    scaled = False

    def estimator(self, values: Values, facts: TableFacts) -> Any:
        """Return an ``AdaBoostClassifier`` or ``AdaBoostRegressor``."""
        from sklearn import ensemble, tree

        if facts.task == "regression":
            make, weak, depth = ensemble.AdaBoostRegressor, tree.DecisionTreeRegressor, 3
        else:
            make, weak, depth = ensemble.AdaBoostClassifier, tree.DecisionTreeClassifier, 1
        return make(
            weak(max_depth=values.whole("max_depth", depth), **facts.constraint("monotonic_cst")),
            n_estimators=values.whole("n_estimators", 30),
            learning_rate=values.number("learning_rate", 1.0),
            random_state=facts.seed,
        )


@dataclass(frozen=True)
class AdaBoostRegressor(AdaBoost):
    """AdaBoost.R2 of regression trees, of depth three where no depth is given."""

    key = "adaboost-regressor"
    title = "AdaBoost (regression)"
    summary = (
        "Adds one small tree after another, each looking at the rows with the largest errors. "
        "Good on clean tables; outliers mislead it."
    )
    reference = "Drucker 1997"
    tasks = REGRESSION
    predicts = "values"
