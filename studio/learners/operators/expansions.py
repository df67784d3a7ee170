"""Feature expansions: polynomials, crosses, random tree leaves, kernel features."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from studio.learners.domains import (
    Flag,
    IntegerInterval,
    LowerBoundedInteger,
    Positive,
    RealInterval,
    StringOptions,
    make_settings,
)
from studio.learners.facts import TableFacts
from studio.learners.forests import TREE
from studio.learners.operators.base import ONLY_CLASSES, Operator, clip_at_zero
from studio.learners.values import LearnerValues

MAX_CELLS = 50_000_000
"""Maximum number of cells (rows times columns) of an expansion: 400 MB."""

MAX_IMPORTANT_COLUMNS = {2: 25, 3: 10}
"""Number of columns to multiply, by degree: the most important ones to LightGBM."""

MAX_CROSSED = 200
"""Maximum number of crossed one-hot columns."""

MIN_SHALLOW_ROWS = 5000
SHALLOW_DEPTH = 6
"""Maximum depth of random trees on more rows than :data:`MIN_SHALLOW_ROWS`."""


def _append_terms(terms: Any) -> Any:
    from sklearn.pipeline import FeatureUnion

    return FeatureUnion([("columns", "passthrough"), ("terms", terms)])


def _make_products(choose: Any, n_columns: int, degree: int, interaction_only: bool) -> Any:
    from sklearn.compose import ColumnTransformer
    from sklearn.pipeline import Pipeline
    from sklearn.preprocessing import PolynomialFeatures

    multiply = PolynomialFeatures(degree, interaction_only=interaction_only, include_bias=False)
    without = ColumnTransformer([("products", "passthrough", slice(n_columns, None))])
    return Pipeline([("choose", choose), ("multiply", multiply), ("without", without)])


@dataclass(frozen=True)
class Polynomial(Operator):
    """Products of the most important columns, in addition to all columns."""

    key = "polynomial"
    title = "Products of columns"
    summary = (
        "Adds products of two or three of the most important columns. "
        "Lets a straight line follow curves and corners."
    )
    reference = "DivBO A.3 (VolcanoML: the 25 or 10 columns most important to LightGBM)"
    hyperparameters = make_settings(degree=IntegerInterval(2, 3), interaction_only=Flag())

    def make_transformer(self, values: LearnerValues, facts: TableFacts) -> Any:
        """Return a union of the columns and the products of up to 25 (degree 2) or 10 (3)."""
        from lightgbm import LGBMClassifier, LGBMRegressor
        from sklearn.feature_selection import SelectFromModel

        degree = values.get_integer("degree", 2)
        products_only = values.get_boolean("interaction_only", False)
        columns = min(facts.n_columns, MAX_IMPORTANT_COLUMNS[degree])
        if products_only and columns < 2:
            return None
        judge = (LGBMRegressor if facts.task == "regression" else LGBMClassifier)(
            n_jobs=1, random_state=1, deterministic=True, force_row_wise=True, verbosity=-1
        )
        choose = SelectFromModel(judge, threshold=-np.inf, max_features=columns)
        return _append_terms(_make_products(choose, columns, degree, products_only))


@dataclass(frozen=True)
class CrossFeatures(Operator):
    """Products of one-hot columns: co-occurring categories.

    At most 200 random one-hot columns are crossed, fewer if there are many rows, so that the
    products stay below 400 MB. A table without categorical columns is unchanged.
    """

    key = "cross-features"
    title = "Pairs of categories"
    summary = (
        "Adds a column for every pair of categories that occur together. Only for columns of "
        "categories; numbers are unchanged."
    )
    reference = "DivBO A.3 (VolcanoML)"
    tasks = ONLY_CLASSES
    hyperparameters = make_settings(random_state=LowerBoundedInteger())

    def make_transformer(self, values: LearnerValues, facts: TableFacts) -> Any:
        """Return a union of the columns and pairwise products, without constant columns."""
        from sklearn.compose import ColumnTransformer
        from sklearn.feature_selection import VarianceThreshold
        from sklearn.pipeline import Pipeline

        first = int((~facts.categorical).sum())
        draw = np.random.default_rng(values.get_integer("random_state", 1))
        fitting = int(math.sqrt(2 * MAX_CELLS / max(1, facts.n_rows)))
        count = min(facts.n_columns - first, MAX_CROSSED, max(2, fitting))
        if count < 2:
            return None
        indices = first + draw.permutation(facts.n_columns - first)[:count]
        choose = ColumnTransformer([("drawn", "passthrough", sorted(indices.tolist()))])
        crossed_columns = _append_terms(_make_products(choose, count, 2, interaction_only=True))
        return Pipeline([("cross", crossed_columns), ("varying", VarianceThreshold())])


@dataclass(frozen=True)
class RandomTrees(Operator):
    """One-hot encoding of each row's leaves in random trees.

    Depth is limited to 6 on more than 5000 rows, and the number of leaves so that the result stays
    below 400 MB.
    """

    key = "random-trees"
    title = "Leaves of random trees"
    summary = (
        "Describes every row by the leaves of random trees in which it falls. "
        "Turns numbers into yes-or-no columns that a straight line can use."
    )
    reference = "Geurts et al. 2006; DivBO A.3"
    hyperparameters = make_settings(n_estimators=LowerBoundedInteger(), **TREE)

    def make_transformer(self, values: LearnerValues, facts: TableFacts) -> Any:
        from sklearn.ensemble import RandomTreesEmbedding

        trees = values.get_integer("n_estimators", 10)
        deepest = SHALLOW_DEPTH if facts.n_rows > MIN_SHALLOW_ROWS else None
        leaves = max(2, MAX_CELLS // (max(1, facts.n_rows) * trees))
        return RandomTreesEmbedding(
            trees,
            max_depth=values.get_integer("max_depth", 5, high=deepest),
            **values.read(min_samples_split=2, min_samples_leaf=1),
            max_leaf_nodes=leaves if leaves < facts.n_rows else None,
            sparse_output=False,
            n_jobs=1,
            random_state=facts.seed,
        )


_KERNEL = make_settings(
    n_components=LowerBoundedInteger(),
    gamma=Positive(),
    degree=LowerBoundedInteger(),
    coef0=RealInterval(),
)


def _get_kernel(values: LearnerValues) -> dict[str, Any]:
    kernel = values.get_word("kernel")
    settings: dict[str, Any] = {"kernel": kernel}
    if kernel != "cosine":
        settings["gamma"] = values.get_number("gamma", 0.1)
    if kernel == "poly":
        settings["degree"] = values.get_integer("degree", 3)
    if kernel in {"poly", "sigmoid"}:
        settings["coef0"] = values.get_number("coef0", 0.0)
    return settings


@dataclass(frozen=True)
class KernelPca(Operator):
    """Principal components in a kernel's space; at most as many as rows."""

    key = "kernel-pca"
    title = "Kernel principal components"
    summary = (
        "Principal components in a kernel's feature space, in which curves become straight. "
        "Needs time and memory for every pair of rows; for small tables."
    )
    reference = "Schölkopf et al. 1998; DivBO A.3"
    hyperparameters = make_settings(
        **_KERNEL, kernel=StringOptions("rbf", "poly", "sigmoid", "cosine")
    )

    def make_transformer(self, values: LearnerValues, facts: TableFacts) -> Any:
        from sklearn.decomposition import KernelPCA

        return KernelPCA(
            n_components=values.get_integer("n_components", 100, high=facts.n_rows),
            random_state=facts.seed,
            n_jobs=1,
            **_get_kernel(values),
        )


@dataclass(frozen=True)
class KitchenSinks(Operator):
    """Random cosines whose inner products approximate an RBF kernel."""

    key = "kitchen-sinks"
    title = "Random kitchen sinks"
    summary = (
        "Replaces the columns by many random cosine waves of them. A quick stand-in for a kernel "
        "machine on large tables."
    )
    reference = "Rahimi & Recht 2007; DivBO A.3"
    hyperparameters = make_settings(gamma=Positive(), n_components=LowerBoundedInteger())

    def make_transformer(self, values: LearnerValues, facts: TableFacts) -> Any:
        from sklearn.kernel_approximation import RBFSampler

        return RBFSampler(**values.read(gamma=1.0, n_components=100), random_state=facts.seed)


@dataclass(frozen=True)
class Nystroem(Operator):
    """Similarities to random rows, whitened; at most as many as rows."""

    key = "nystroem"
    title = "Similarity to random rows"
    summary = (
        "Describes every row by its similarity to random rows. A stand-in for a kernel "
        "machine that a straight line can use."
    )
    reference = "Williams & Seeger 2001; DivBO A.3"
    hyperparameters = make_settings(
        **_KERNEL, kernel=StringOptions("rbf", "poly", "sigmoid", "cosine", "chi2")
    )

    def make_transformer(self, values: LearnerValues, facts: TableFacts) -> Any:
        """Return a ``Nystroem``; for the chi2 kernel negatives are clipped at 0."""
        from sklearn.kernel_approximation import Nystroem as Transformer

        settings = _get_kernel(values)
        transformer = Transformer(
            n_components=values.get_integer("n_components", 100, high=facts.n_rows),
            random_state=facts.seed,
            n_jobs=1,
            **settings,
        )
        return clip_at_zero(transformer) if settings["kernel"] == "chi2" else transformer
