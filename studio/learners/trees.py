"""Decision trees and forests of them."""

from dataclasses import dataclass
from typing import Any

from studio.learners.base import CLASSIFICATION, REGRESSION, Learner
from studio.learners.facts import Facts
from studio.learners.values import Values
from studio.trial import Value

TREE = ("max_depth", "min_samples_split", "min_samples_leaf")


def _tree(values: Values, facts: Facts) -> dict[str, Value]:
    return {
        "max_depth": values.whole("max_depth", 10),
        "min_samples_split": values.whole("min_samples_split", 2, low=2),
        "min_samples_leaf": values.whole("min_samples_leaf", 1),
        "random_state": facts.seed,
    }


@dataclass(frozen=True)
class Tree(Learner):
    """One decision tree (CART, Gini)."""

    key = "tree"
    title = "Decision tree"
    summary = (
        "Asks one yes-or-no question after another about single columns. "
        "Easy to read; alone seldom the most accurate."
    )
    reference = "Breiman et al. 1984; EO 4.2"
    tasks = CLASSIFICATION
    hyperparameters = TREE
    scaled = False

    def estimator(self, values: Values, facts: Facts) -> Any:
        """Return a ``DecisionTreeClassifier``."""
        from sklearn.tree import DecisionTreeClassifier

        return DecisionTreeClassifier(**_tree(values, facts))


@dataclass(frozen=True)
class TreeRegressor(Learner):
    """One regression tree (CART, squared error)."""

    key = "tree-regressor"
    title = "Regression tree"
    summary = (
        "Asks one yes-or-no question after another and answers with a mean. "
        "Easy to read; alone seldom the most accurate."
    )
    reference = "Breiman et al. 1984"
    tasks = REGRESSION
    predicts = "values"
    hyperparameters = TREE
    scaled = False

    def estimator(self, values: Values, facts: Facts) -> Any:
        """Return a ``DecisionTreeRegressor``."""
        from sklearn.tree import DecisionTreeRegressor

        return DecisionTreeRegressor(**_tree(values, facts))


@dataclass(frozen=True)
class Forest(Learner):
    """A random forest."""

    key = "forest"
    title = "Random forest"
    summary = (
        "Grows many decision trees on random parts of the table and averages them. "
        "Reliable on almost any table."
    )
    reference = "Breiman 2001; EO 4.2"
    tasks = CLASSIFICATION
    hyperparameters = ("n_estimators", *TREE)
    scaled = False

    def estimator(self, values: Values, facts: Facts) -> Any:
        """Return a ``RandomForestClassifier`` on one thread."""
        from sklearn.ensemble import RandomForestClassifier

        trees = values.whole("n_estimators", 30)
        return RandomForestClassifier(trees, n_jobs=1, **_tree(values, facts))


@dataclass(frozen=True)
class ForestRegressor(Learner):
    """A random forest of regression trees, all columns looked at in each split."""

    key = "forest-regressor"
    title = "Random forest (regression)"
    summary = (
        "Grows many regression trees on random rows of the table and averages them. "
        "Reliable on almost any table."
    )
    reference = "Breiman 2001"
    tasks = REGRESSION
    predicts = "values"
    hyperparameters = ("n_estimators", *TREE)
    scaled = False

    def estimator(self, values: Values, facts: Facts) -> Any:
        """Return a ``RandomForestRegressor`` on one thread."""
        from sklearn.ensemble import RandomForestRegressor

        trees = values.whole("n_estimators", 30)
        return RandomForestRegressor(trees, n_jobs=1, **_tree(values, facts))
