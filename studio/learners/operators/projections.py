"""Fewer columns that say most of what all of them said."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from studio.learners.domains import (
    Flag,
    Span,
    Whole,
    Word,
    settings,
)
from studio.learners.facts import TableFacts
from studio.learners.operators.base import ONLY_CLASSES, Operator
from studio.learners.values import Values


@dataclass(frozen=True)
class Pca(Operator):
    """Principal components until a share of the variance is kept."""

    key = "pca"
    title = "Principal components"
    summary = (
        "Turns the columns into a few that vary independently, the most varying ones first. "
        "Columns of large numbers dominate unless they are scaled."
    )
    reference = "Pearson 1901; DivBO A.3"
    hyperparameters = settings(keep_variance=Span(0.0, 1.0, above=True, below=True), whiten=Flag())

    def transformer(self, values: Values, facts: TableFacts) -> Any:
        """Return a ``PCA``."""
        from sklearn.decomposition import PCA

        return PCA(
            n_components=values.real("keep_variance", 0.9999, low=1e-6, high=1.0 - 1e-9),
            whiten=values.flag("whiten", False),
            svd_solver="full",
            random_state=facts.seed,
        )


@dataclass(frozen=True)
class Svd(Operator):
    """Truncated singular values, at most one column fewer than there are."""

    key = "svd"
    title = "Truncated singular values"
    summary = (
        "Keeps the directions in which the numbers are largest, without centring them. "
        "Like principal components, and good for tables of many zeros."
    )
    reference = "DivBO A.3"
    hyperparameters = settings(target_dim=Whole())

    def transformer(self, values: Values, facts: TableFacts) -> Any:
        """Return a ``TruncatedSVD``; a single column stays as it is."""
        from sklearn.decomposition import TruncatedSVD

        if facts.n_columns < 2:
            return None
        return TruncatedSVD(
            values.whole("target_dim", 128, high=facts.n_columns - 1), random_state=facts.seed
        )


@dataclass(frozen=True)
class FastIca(Operator):
    """Independent components; without whitening there are as many as columns."""

    key = "fast-ica"
    title = "Independent components"
    summary = (
        "Turns the columns into ones that know as little of each other as possible. "
        "Undoes mixtures of signals; may fail to settle on other tables."
    )
    reference = "Hyvärinen & Oja 2000; DivBO A.3"
    hyperparameters = settings(
        algorithm=Word("parallel", "deflation"),
        whiten=Flag(),
        fun=Word("logcosh", "exp", "cube"),
        n_components=Whole(),
    )

    def transformer(self, values: Values, facts: TableFacts) -> Any:
        """Return a ``FastICA``; it must whiten where there are more columns than rows."""
        from sklearn.decomposition import FastICA

        crowded = facts.n_columns > facts.n_rows
        whiten = values.flag("whiten", False, needed=True if crowded else None)
        most = max(1, min(facts.n_rows, facts.n_columns))
        return FastICA(
            n_components=values.whole("n_components", 100, high=most) if whiten else None,
            algorithm=values.word("algorithm"),
            whiten="unit-variance" if whiten else False,
            fun=values.word("fun"),
            random_state=facts.seed,
        )


@dataclass(frozen=True)
class FeatureAgglomeration(Operator):
    """Similar columns joined into one each, by a tree of clusters."""

    key = "feature-agglomeration"
    title = "Joined columns"
    summary = (
        "Groups columns that are alike and puts one column in the place of each group. "
        "Good where many columns measure nearly the same."
    )
    reference = "DivBO A.3"
    hyperparameters = settings(
        n_clusters=Whole(),
        metric=Word("euclidean", "manhattan", "cosine"),
        linkage=Word("ward", "complete", "average"),
        pooling=Word("mean", "median", "max"),
    )

    def transformer(self, values: Values, facts: TableFacts) -> Any:
        """Return a ``FeatureAgglomeration``; a single column stays as it is.

        Ward's linkage knows the Euclidean distance only.
        """
        from sklearn.cluster import FeatureAgglomeration as Transformer

        if facts.n_columns < 2:
            return None
        linkage = values.word("linkage")
        metric = values.word("metric")
        pooling = values.word("pooling")
        return Transformer(
            n_clusters=values.whole("n_clusters", 25, high=facts.n_columns),
            metric="euclidean" if linkage == "ward" else metric,
            linkage=linkage,
            pooling_func={"mean": np.mean, "median": np.median, "max": np.max}[pooling],
        )


@dataclass(frozen=True)
class LdaDecomposer(Operator):
    """The directions that separate the classes: one fewer than classes, or than columns."""

    key = "lda-decomposer"
    title = "Directions between classes"
    summary = (
        "Keeps only the few directions in which the classes lie apart. Very compact; with many "
        "columns and few rows it memorises the rows."
    )
    reference = "Fisher 1936; DivBO A.3"
    tasks = ONLY_CLASSES
    hyperparameters = settings(shrinkage=Word("none", "auto"))

    def transformer(self, values: Values, facts: TableFacts) -> Any:
        """Return a ``LinearDiscriminantAnalysis`` as a transformer."""
        from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

        if values.word("shrinkage") == "none":
            return LinearDiscriminantAnalysis()
        return LinearDiscriminantAnalysis(solver="eigen", shrinkage="auto")
