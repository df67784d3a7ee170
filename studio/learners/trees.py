"""Single decision trees."""

from dataclasses import dataclass
from typing import Any

from studio.learners.base import CLASSIFICATION, REGRESSION, Learner
from studio.learners.domains import Whole, settings
from studio.learners.facts import TableFacts
from studio.learners.library.scikit_learn import SCIKIT_LEARN
from studio.learners.values import Values

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
