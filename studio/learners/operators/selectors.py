"""Fewer columns, as they are."""

import functools
import math
from dataclasses import dataclass
from typing import Any

from studio.learners.domains import (
    SHARE,
    Flag,
    Positive,
    Span,
    Word,
    settings,
)
from studio.learners.facts import TableFacts
from studio.learners.operators.base import ONLY_CLASSES, Operator
from studio.learners.operators.clipping import behind_zero
from studio.learners.trees import COLUMNS_TWICE, TREE, columns_per_split
from studio.learners.values import Values

SELECTOR_TREES = 100


def _score(word: str, facts: TableFacts) -> Any:
    from sklearn.feature_selection import chi2, f_classif, f_regression, mutual_info_classif

    if word == "mutual_info":
        return functools.partial(mutual_info_classif, random_state=facts.seed, n_jobs=1)
    return {"chi2": chi2, "f_classif": f_classif, "f_regression": f_regression}[word]


@dataclass(frozen=True)
class SelectPercentile(Operator):
    """The best share of the columns, each judged by itself; at least one column."""

    key = "select-percentile"
    title = "Best share of columns"
    summary = (
        "Keeps the share of columns that say most about the target, each judged by itself. "
        "Quick; it overlooks columns that help only together."
    )
    reference = "DivBO A.3"
    hyperparameters = settings(
        percentile=Span(0.0, 100.0),
        score=Word("chi2", "f_classif", "mutual_info", "f_regression"),
    )

    def transformer(self, values: Values, facts: TableFacts) -> Any:
        """Return a ``SelectPercentile``; chi2 sees negative numbers as 0."""
        from sklearn.feature_selection import SelectPercentile as Transformer

        regression = facts.task == "regression"
        words = ("f_regression",) if regression else ("chi2", "f_classif", "mutual_info")
        word = values.word("score", among=words)
        # A smaller share of the columns would be none where the best ones are equally good.
        least = min(100.0, math.ceil(1e6 * 100.0 / max(1, facts.n_columns)) / 1e6)
        percentile = values.real("percentile", 50.0, low=least)
        selector = Transformer(_score(word, facts), percentile=percentile)
        return behind_zero(selector) if word == "chi2" else selector


@dataclass(frozen=True)
class SelectUnivariate(Operator):
    """Columns whose tie to the classes is significant, each judged by itself."""

    key = "select-univariate"
    title = "Significant columns"
    summary = (
        "Keeps the columns that are significantly related to the target, by a statistical test. "
        "Where no column passes the test, the trial fails."
    )
    reference = "DivBO A.3"
    tasks = ONLY_CLASSES
    hyperparameters = settings(
        alpha=SHARE,
        score=Word("chi2", "f_classif"),
        mode=Word("fpr", "fdr", "fwe"),
    )

    def transformer(self, values: Values, facts: TableFacts) -> Any:
        """Return a ``GenericUnivariateSelect``; chi2 sees negative numbers as 0."""
        from sklearn.feature_selection import GenericUnivariateSelect

        word = values.word("score")
        selector = GenericUnivariateSelect(
            _score(word, facts),
            mode=values.word("mode"),
            param=values.number("alpha", 0.1),
        )
        return behind_zero(selector) if word == "chi2" else selector


@dataclass(frozen=True)
class ExtraTreesSelector(Operator):
    """Columns at least as important as the average one, to 100 extremely randomised trees."""

    key = "extra-trees-selector"
    title = "Columns that trees use"
    summary = (
        "Grows a forest and keeps the columns that it uses more than the average one. "
        "Sees columns that help only together."
    )
    reference = "DivBO A.3"
    hyperparameters = settings(
        criterion=Word("gini", "entropy", "squared_error", "absolute_error"),
        bootstrap=Flag(),
        features_power=Span(0.0, 1.0),
        max_features=SHARE,
        **TREE,
    )
    clashes = (COLUMNS_TWICE,)

    def transformer(self, values: Values, facts: TableFacts) -> Any:
        """Return a ``SelectFromModel`` of extra trees on one thread."""
        from sklearn.ensemble import ExtraTreesClassifier, ExtraTreesRegressor
        from sklearn.feature_selection import SelectFromModel

        regression = facts.task == "regression"
        words = ("squared_error", "absolute_error") if regression else ("gini", "entropy")
        forest = (ExtraTreesRegressor if regression else ExtraTreesClassifier)(
            SELECTOR_TREES,
            criterion=values.word("criterion", among=words),
            bootstrap=values.flag("bootstrap", False),
            max_features=columns_per_split(values, facts, 1.0 if regression else "sqrt"),
            min_samples_split=values.whole("min_samples_split", 2),
            min_samples_leaf=values.whole("min_samples_leaf", 1),
            max_depth=values.whole("max_depth", 1) if "max_depth" in values else None,
            n_jobs=1,
            random_state=facts.seed,
        )
        return SelectFromModel(forest, threshold="mean")


@dataclass(frozen=True)
class LinearSvmSelector(Operator):
    """Columns with a weight at least as large as the average in an l1-penalised linear SVM."""

    key = "linear-svm-selector"
    title = "Columns that a line uses"
    summary = (
        "Draws a straight boundary that uses few columns and keeps those it relies on most. "
        "Good where only a few of many columns matter."
    )
    reference = "DivBO A.3"
    tasks = ONLY_CLASSES
    hyperparameters = settings(C=Positive(), tol=Positive())

    def transformer(self, values: Values, facts: TableFacts) -> Any:
        """Return a ``SelectFromModel`` of a ``LinearSVC`` (absolute penalty, squared hinge)."""
        from sklearn.feature_selection import SelectFromModel
        from sklearn.svm import LinearSVC

        machine = LinearSVC(
            penalty="l1",
            dual=False,
            C=values.number("C", 1.0),
            tol=values.number("tol", 1e-4),
            random_state=facts.seed,
        )
        return SelectFromModel(machine, threshold="mean")
