"""Single decision trees, and how many columns a tree looks at in each split."""

from dataclasses import dataclass
from typing import Any, TypeVar

from studio.learners.base import CLASSIFICATION, REGRESSION, Learner
from studio.learners.domains import GIVEN, Clash, Whole, settings
from studio.learners.facts import TableFacts
from studio.learners.library.scikit_learn import SCIKIT_LEARN
from studio.learners.values import Values

Default = TypeVar("Default")

COLUMNS_TWICE = Clash(max_features=GIVEN, features_power=GIVEN)
"""Both would say how many columns a split looks at."""


def columns_per_split(values: Values, facts: TableFacts, default: Default) -> int | Default:
    """Return the number of columns drawn for each split, at least 1.

    ``max_features`` is a share s of the d columns, round(s d) (SMBEO 6.1); ``features_power`` an
    exponent v in [0, 1], the whole part of d**v (DivBO's space). A space gives one of the two.
    """
    columns = max(1, facts.n_columns)
    if "max_features" in values:
        return max(1, round(values.number("max_features", 1.0) * columns))
    if "features_power" in values:
        return max(1, int(columns ** values.real("features_power", 0.5)))
    return default


TREE = settings(max_depth=Whole(), min_samples_split=Whole(2), min_samples_leaf=Whole())


@dataclass(frozen=True)
class Tree(Learner):
    """One decision tree (CART, Gini)."""

    key = "tree"
    title = "Decision tree"
    noun = "a decision tree"
    short = "Tree"
    place = 9
    summary = (
        "Asks one yes-or-no question after another about single columns. "
        "Easy to read; alone seldom the most accurate."
    )
    reference = "Breiman et al. 1984; EO 4.2"
    tasks = CLASSIFICATION
    library = SCIKIT_LEARN
    weighted = True
    monotone = True
    hyperparameters = TREE
    scaled = False

    def estimator(self, values: Values, facts: TableFacts) -> Any:
        """Return a ``DecisionTreeClassifier`` or ``DecisionTreeRegressor``."""
        from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

        make = DecisionTreeRegressor if facts.task == "regression" else DecisionTreeClassifier
        return make(
            max_depth=values.whole("max_depth", 10),
            min_samples_split=values.whole("min_samples_split", 2),
            min_samples_leaf=values.whole("min_samples_leaf", 1),
            random_state=facts.seed,
            **facts.constraint("monotonic_cst"),
        )


@dataclass(frozen=True)
class TreeRegressor(Tree):
    """One regression tree (CART, squared error)."""

    key = "tree-regressor"
    title = "Regression tree"
    noun = "a regression tree"
    short = "Tree"
    place = 9
    summary = (
        "Asks one yes-or-no question after another and answers with a mean. "
        "Easy to read; alone seldom the most accurate."
    )
    reference = "Breiman et al. 1984"
    tasks = REGRESSION
    predicts = "values"
