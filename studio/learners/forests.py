"""Decision trees, random forests and extra trees, always on one thread."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeVar

from studio.learners.base import CLASSIFICATION, REGRESSION, Learner
from studio.learners.domains import (
    ANY_VALUE,
    SHARE,
    Flag,
    ForbiddenCombination,
    LowerBoundedInteger,
    RealInterval,
    StringOptions,
    make_settings,
)
from studio.learners.facts import TableFacts
from studio.learners.library import SCIKIT_LEARN
from studio.learners.values import LearnerValues

Default = TypeVar("Default")

COLUMNS_TWICE = ForbiddenCombination(max_features=ANY_VALUE, features_power=ANY_VALUE)
"""Mutually exclusive settings, as both set the number of columns per split."""


def compute_columns_per_split(
    values: LearnerValues, facts: TableFacts, default: Default
) -> int | Default:
    """Return the number of random columns per split, at least 1.

    ``max_features`` is a share s of the d columns, round(s d) (SMBEO 6.1); ``features_power`` an
    exponent v in [0, 1], the integer part of d**v (DivBO's space). A space gives one of the two.
    """
    columns = max(1, facts.n_columns)
    if "max_features" in values:
        return max(1, round(values.get_number("max_features", 1.0) * columns))
    if "features_power" in values:
        return max(1, int(columns ** values.get_number("features_power", 0.5)))
    return default


TREE = make_settings(
    max_depth=LowerBoundedInteger(),
    min_samples_split=LowerBoundedInteger(2),
    min_samples_leaf=LowerBoundedInteger(),
)

OPEN_TREE: Mapping[str, float | None] = MappingProxyType(
    {"max_depth": None, "min_samples_split": 2, "min_samples_leaf": 1}
)
"""Defaults of trees that grow until their leaves are pure."""


@dataclass(frozen=True)
class Tree(Learner):
    """One decision tree (CART, Gini)."""

    key = "tree"
    title = "Decision tree"
    noun = "a decision tree"
    short_name = "Tree"
    colour_index = 3
    summary = (
        "Asks one yes-or-no question after another about single columns. "
        "Easy to read; alone rarely the most accurate."
    )
    reference = "Breiman et al. 1984; EO 4.2"
    tasks = CLASSIFICATION
    library = SCIKIT_LEARN
    monotone = True
    hyperparameters = TREE
    needs_scaling = False

    def make_estimator(self, values: LearnerValues, facts: TableFacts) -> Any:
        from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

        make = DecisionTreeRegressor if facts.task == "regression" else DecisionTreeClassifier
        return make(
            **values.read(max_depth=10, min_samples_split=2, min_samples_leaf=1),
            random_state=facts.seed,
            **facts.make_constraint("monotonic_cst"),
        )


@dataclass(frozen=True)
class TreeRegressor(Tree):
    """One regression tree (CART, squared error)."""

    key = "tree-regressor"
    title = "Regression tree"
    noun = "a regression tree"
    summary = (
        "Asks one yes-or-no question after another and predicts a mean. "
        "Easy to read; alone rarely the most accurate."
    )
    reference = "Breiman et al. 1984"
    tasks = REGRESSION
    prediction_type = "values"


_COMMON_FOREST = make_settings(
    n_estimators=LowerBoundedInteger(),
    **TREE,
    bootstrap=Flag(),
    max_features=SHARE,
    features_power=RealInterval(0.0, 1.0),
)
FOREST = make_settings(**_COMMON_FOREST, criterion=StringOptions("gini", "entropy"))
FOREST_REGRESSOR = make_settings(
    **_COMMON_FOREST, criterion=StringOptions("squared_error", "absolute_error")
)


def _make_forest_settings(
    values: LearnerValues, facts: TableFacts, *, bootstrap: bool
) -> dict[str, Any]:
    regression = facts.task == "regression"
    return {
        **values.read("criterion", n_estimators=30, bootstrap=bootstrap, **OPEN_TREE),
        "max_features": compute_columns_per_split(values, facts, 1.0 if regression else "sqrt"),
        "n_jobs": 1,
        "random_state": facts.seed,
        **facts.make_constraint("monotonic_cst"),
    }


@dataclass(frozen=True)
class ForestLearner(Learner):
    """A random forest; without a given depth, trees grow until their leaves are pure."""

    key = "forest"
    title = "Random forest"
    noun = "a random forest"
    short_name = "Forest"
    colour_index = 4
    summary = (
        "Grows many decision trees on random parts of the table and averages them. "
        "Reliable on almost any table."
    )
    reference = "Breiman 2001; EO 4.2"
    tasks = CLASSIFICATION
    library = SCIKIT_LEARN
    monotone = True
    hyperparameters = FOREST
    forbidden_combinations = (COLUMNS_TWICE,)
    needs_scaling = False

    def make_estimator(self, values: LearnerValues, facts: TableFacts) -> Any:
        from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

        make = RandomForestRegressor if facts.task == "regression" else RandomForestClassifier
        return make(**_make_forest_settings(values, facts, bootstrap=True))


@dataclass(frozen=True)
class ForestRegressor(ForestLearner):
    """A random forest of regression trees; by default all columns are considered per split."""

    key = "forest-regressor"
    title = "Random forest (regression)"
    summary = (
        "Grows many regression trees on random rows of the table and averages them. "
        "Reliable on almost any table."
    )
    reference = "Breiman 2001"
    tasks = REGRESSION
    prediction_type = "values"
    hyperparameters = FOREST_REGRESSOR


@dataclass(frozen=True)
class ExtraTrees(Learner):
    """Extremely randomised trees, with random thresholds."""

    key = "extra-trees"
    title = "Extra trees"
    noun = "extra trees"
    colour_index = 3
    summary = (
        "A forest whose trees also draw their thresholds at random instead of searching for them. "
        "Quicker to grow and smoother than a random forest; often complements one well."
    )
    reference = "Geurts et al. 2006; SMBEO 6.1, DivBO A.3"
    tasks = CLASSIFICATION
    library = SCIKIT_LEARN
    monotone = True
    hyperparameters = FOREST
    forbidden_combinations = (COLUMNS_TWICE,)
    needs_scaling = False

    def make_estimator(self, values: LearnerValues, facts: TableFacts) -> Any:
        from sklearn import ensemble

        regression = facts.task == "regression"
        make = ensemble.ExtraTreesRegressor if regression else ensemble.ExtraTreesClassifier
        return make(**_make_forest_settings(values, facts, bootstrap=False))


@dataclass(frozen=True)
class ExtraTreesRegressor(ExtraTrees):
    """Extremely randomised regression trees."""

    key = "extra-trees-regressor"
    title = "Extra trees (regression)"
    summary = (
        "A forest of regression trees that draw their thresholds at random instead of searching "
        "for them. Quicker to grow and smoother than a random forest; often complements one well."
    )
    reference = "Geurts et al. 2006; SMBEO 6.1"
    tasks = REGRESSION
    prediction_type = "values"
    hyperparameters = FOREST_REGRESSOR
