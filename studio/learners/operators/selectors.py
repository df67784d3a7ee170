"""Feature selection and projection."""

import functools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from studio.learners.domains import (
    SHARE,
    Flag,
    LowerBoundedInteger,
    Positive,
    RealInterval,
    StringOptions,
    make_settings,
)
from studio.learners.facts import TableFacts
from studio.learners.forests import COLUMNS_TWICE, OPEN_TREE, TREE, compute_columns_per_split
from studio.learners.operators.base import ONLY_CLASSES, Operator, clip_at_zero
from studio.learners.values import LearnerValues

SELECTOR_TREES = 100


def _get_score_function(name: str, facts: TableFacts) -> Any:
    from sklearn.feature_selection import chi2, f_classif, f_regression, mutual_info_classif

    if name == "mutual_info":
        return functools.partial(mutual_info_classif, random_state=facts.seed, n_jobs=1)
    return {"chi2": chi2, "f_classif": f_classif, "f_regression": f_regression}[name]


@dataclass(frozen=True)
class SelectPercentile(Operator):
    """The best share of the columns by a univariate score; at least one column."""

    key = "select-percentile"
    title = "Best share of columns"
    summary = (
        "Keeps the share of columns most informative about the target, each on its own. Quick; it "
        "overlooks columns that help only together."
    )
    reference = "DivBO A.3"
    hyperparameters = make_settings(
        percentile=RealInterval(0.0, 100.0),
        score=StringOptions("chi2", "f_classif", "mutual_info", "f_regression"),
    )

    def make_transformer(self, values: LearnerValues, facts: TableFacts) -> Any:
        from sklearn.feature_selection import SelectPercentile as Transformer

        regression = facts.task == "regression"
        names = ("f_regression",) if regression else ("chi2", "f_classif", "mutual_info")
        name = values.get_word("score", choices=names)
        # With a smaller share no column would remain if the best ones tie.
        min_percentile = min(100.0, math.ceil(1e6 * 100.0 / max(1, facts.n_columns)) / 1e6)
        percentile = values.get_number("percentile", 50.0, low=min_percentile)
        selector = Transformer(_get_score_function(name, facts), percentile=percentile)
        return clip_at_zero(selector) if name == "chi2" else selector


@dataclass(frozen=True)
class SelectUnivariate(Operator):
    """Columns with a significant univariate relation to the classes."""

    key = "select-univariate"
    title = "Significant columns"
    summary = (
        "Keeps the columns that are significantly related to the target, by a statistical test. "
        "Where no column passes the test, the trial fails."
    )
    reference = "DivBO A.3"
    tasks = ONLY_CLASSES
    hyperparameters = make_settings(
        alpha=SHARE,
        score=StringOptions("chi2", "f_classif"),
        mode=StringOptions("fpr", "fdr", "fwe"),
    )

    def make_transformer(self, values: LearnerValues, facts: TableFacts) -> Any:
        from sklearn.feature_selection import GenericUnivariateSelect

        name = values.get_word("score")
        selector = GenericUnivariateSelect(
            _get_score_function(name, facts),
            mode=values.get_word("mode"),
            param=values.get_number("alpha", 0.1),
        )
        return clip_at_zero(selector) if name == "chi2" else selector


@dataclass(frozen=True)
class ExtraTreesSelector(Operator):
    """Columns of at least average importance to 100 extra trees."""

    key = "extra-trees-selector"
    title = "Columns that trees use"
    summary = (
        "Grows a forest and keeps the columns that it uses more than the average one. "
        "Sees columns that help only together."
    )
    reference = "DivBO A.3"
    hyperparameters = make_settings(
        criterion=StringOptions("gini", "entropy", "squared_error", "absolute_error"),
        bootstrap=Flag(),
        features_power=RealInterval(0.0, 1.0),
        max_features=SHARE,
        **TREE,
    )
    forbidden_combinations = (COLUMNS_TWICE,)

    def make_transformer(self, values: LearnerValues, facts: TableFacts) -> Any:
        from sklearn.ensemble import ExtraTreesClassifier, ExtraTreesRegressor
        from sklearn.feature_selection import SelectFromModel

        regression = facts.task == "regression"
        names = ("squared_error", "absolute_error") if regression else ("gini", "entropy")
        forest = (ExtraTreesRegressor if regression else ExtraTreesClassifier)(
            SELECTOR_TREES,
            criterion=values.get_word("criterion", choices=names),
            **values.read(bootstrap=False, **OPEN_TREE),
            max_features=compute_columns_per_split(values, facts, 1.0 if regression else "sqrt"),
            n_jobs=1,
            random_state=facts.seed,
        )
        return SelectFromModel(forest, threshold="mean")


@dataclass(frozen=True)
class LinearSvmSelector(Operator):
    """Columns of at least average weight in an l1-penalised linear SVM."""

    key = "linear-svm-selector"
    title = "Columns that a line uses"
    summary = (
        "Draws a straight boundary that uses few columns and keeps those it relies on most. "
        "Good where only a few of many columns matter."
    )
    reference = "DivBO A.3"
    tasks = ONLY_CLASSES
    hyperparameters = make_settings(C=Positive(), tol=Positive())

    def make_transformer(self, values: LearnerValues, facts: TableFacts) -> Any:
        from sklearn.feature_selection import SelectFromModel
        from sklearn.svm import LinearSVC

        machine = LinearSVC(
            penalty="l1", dual=False, **values.read(C=1.0, tol=1e-4), random_state=facts.seed
        )
        return SelectFromModel(machine, threshold="mean")


@dataclass(frozen=True)
class Pca(Operator):
    """Principal components that explain a share of the variance."""

    key = "pca"
    title = "Principal components"
    summary = (
        "Turns the columns into a few that vary independently, in order of decreasing variance. "
        "Columns of large numbers dominate unless they are scaled."
    )
    reference = "Pearson 1901; DivBO A.3"
    hyperparameters = make_settings(
        keep_variance=RealInterval(0.0, 1.0, low_exclusive=True, high_exclusive=True), whiten=Flag()
    )

    def make_transformer(self, values: LearnerValues, facts: TableFacts) -> Any:
        from sklearn.decomposition import PCA

        return PCA(
            n_components=values.get_number("keep_variance", 0.9999, low=1e-6, high=1.0 - 1e-9),
            whiten=values.get_boolean("whiten", False),
            svd_solver="full",
            random_state=facts.seed,
        )


@dataclass(frozen=True)
class Svd(Operator):
    """Truncated singular value decomposition, with fewer columns than the input."""

    key = "svd"
    title = "Truncated singular values"
    summary = (
        "Keeps the directions in which the numbers are largest, without centring them. "
        "Like principal components, and good for tables of many zeros."
    )
    reference = "DivBO A.3"
    hyperparameters = make_settings(target_dim=LowerBoundedInteger())

    def make_transformer(self, values: LearnerValues, facts: TableFacts) -> Any:
        from sklearn.decomposition import TruncatedSVD

        if facts.n_columns < 2:
            return None
        return TruncatedSVD(
            values.get_integer("target_dim", 128, high=facts.n_columns - 1), random_state=facts.seed
        )


@dataclass(frozen=True)
class FastIca(Operator):
    """Independent components; without whitening, as many as there are columns."""

    key = "fast-ica"
    title = "Independent components"
    summary = (
        "Turns the columns into components that are as independent as possible. Separates mixed "
        "signals; may not converge on other tables."
    )
    reference = "Hyvärinen & Oja 2000; DivBO A.3"
    hyperparameters = make_settings(
        algorithm=StringOptions("parallel", "deflation"),
        whiten=Flag(),
        fun=StringOptions("logcosh", "exp", "cube"),
        n_components=LowerBoundedInteger(),
    )

    def make_transformer(self, values: LearnerValues, facts: TableFacts) -> Any:
        from sklearn.decomposition import FastICA

        has_more_columns = facts.n_columns > facts.n_rows
        whiten = values.get_boolean("whiten", False, needed=True if has_more_columns else None)
        max_components = max(1, min(facts.n_rows, facts.n_columns))
        return FastICA(
            n_components=values.get_integer("n_components", 100, high=max_components)
            if whiten
            else None,
            **values.read("algorithm", "fun"),
            whiten="unit-variance" if whiten else False,
            random_state=facts.seed,
        )


@dataclass(frozen=True)
class FeatureAgglomeration(Operator):
    """Similar columns merged by hierarchical clustering."""

    key = "feature-agglomeration"
    title = "Joined columns"
    summary = (
        "Groups similar columns and replaces each group by one column. Good where many columns "
        "measure nearly the same."
    )
    reference = "DivBO A.3"
    hyperparameters = make_settings(
        n_clusters=LowerBoundedInteger(),
        metric=StringOptions("euclidean", "manhattan", "cosine"),
        linkage=StringOptions("ward", "complete", "average"),
        pooling=StringOptions("mean", "median", "max"),
    )

    def make_transformer(self, values: LearnerValues, facts: TableFacts) -> Any:
        """Return a ``FeatureAgglomeration``; a single column is unchanged.

        Ward's linkage only supports the Euclidean distance.
        """
        from sklearn.cluster import FeatureAgglomeration as Transformer

        if facts.n_columns < 2:
            return None
        linkage = values.get_word("linkage")
        metric = values.get_word("metric")
        pooling = values.get_word("pooling")
        return Transformer(
            n_clusters=values.get_integer("n_clusters", 25, high=facts.n_columns),
            metric="euclidean" if linkage == "ward" else metric,
            linkage=linkage,
            pooling_func={"mean": np.mean, "median": np.median, "max": np.max}[pooling],
        )


@dataclass(frozen=True)
class LdaDecomposer(Operator):
    """The classes' discriminant directions: one fewer than classes, at most one per column."""

    key = "lda-decomposer"
    title = "Directions between classes"
    summary = (
        "Keeps only the few directions in which the classes lie apart. Very compact; with many "
        "columns and few rows it memorises the rows."
    )
    reference = "Fisher 1936; DivBO A.3"
    tasks = ONLY_CLASSES
    hyperparameters = make_settings(shrinkage=StringOptions("none", "auto"))

    def make_transformer(self, values: LearnerValues, facts: TableFacts) -> Any:
        from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

        if values.get_word("shrinkage") == "none":
            return LinearDiscriminantAnalysis()
        return LinearDiscriminantAnalysis(solver="eigen", shrinkage="auto")
