"""Sums, differences, products and ratios of two numeric columns."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from studio.arrays import AnyArray, Floats
from studio.learners.domains import LowerBoundedInteger, make_settings
from studio.learners.facts import TableFacts
from studio.learners.operators.base import Operator
from studio.learners.self_replacing_steps import SelfReplacingStep
from studio.learners.values import LearnerValues

MIN_ROWS = 40
"""Minimum number of training rows: with fewer, the terms would be random."""

MAX_SCORED_ROWS = 2500
"""Maximum number of rows for scoring terms: half grow the trees, half score them."""

COLUMNS = 8
"""Number of numeric columns, the most important ones to a forest, with scored pairs."""

TERMS = 10

DIVISOR_FLOOR = 1e-3
"""Minimum magnitude of a divisor, as a multiple of its column's standard deviation."""

Kind = Literal["sum", "difference", "product", "ratio"]


@dataclass(frozen=True)
class Term:
    """One new column.

    Attributes:
        kind: Sums and differences are of columns divided by their standard deviations.
        first, second: The columns; the second one is the divisor or subtrahend.
    """

    kind: Kind
    first: int
    second: int


@dataclass(frozen=True)
class Arithmetic(Operator):
    """Terms of two numeric columns that explain more of the target than either alone.

    Every pair of the eight columns most important to a forest is tried: a depth-3 tree on the term
    must predict half of the (at most 2500) training rows better than one on either column. The best
    ten are added to the columns. For learners that scale their columns, terms are computed from
    scaled ones, unless the space chooses a rescaler.
    """

    key = "arithmetic"
    title = "Sums and ratios of columns"
    summary = (
        "Adds sums, differences, products and ratios of the few most informative columns of "
        "numbers. Trees and straight lines cannot find these by themselves."
    )
    reference = "mljar's golden features"
    hyperparameters = make_settings(terms=LowerBoundedInteger())

    def make_transformer(self, values: LearnerValues, facts: TableFacts) -> Any:
        """Return the transformer that selects the terms during fit, for a ``FeatureUnion``."""
        numbers = int((~facts.categorical).sum())
        terms = values.get_integer("terms", TERMS)
        if numbers < 2 or facts.n_rows < MIN_ROWS:
            return None
        return TermSelector(numbers, terms, facts.task != "regression", facts.seed)


@dataclass
class TermSelector(SelfReplacingStep):
    """Selects the terms of the first ``n_numbers`` columns; returns a union that computes them."""

    n_numbers: int
    terms: int
    is_classification: bool
    seed: int

    def train(self, X: Floats, y: AnyArray, sample_weight: Floats | None) -> Any:
        """Return a fitted ``FeatureUnion`` for X of shape (n, d)."""
        numbers = np.asarray(X[:, : self.n_numbers])
        targets = (
            np.equal.outer(y, np.unique(y)).astype(np.float64) if self.is_classification else y
        )
        scales = numbers.std(axis=0)
        return make_terms(
            self._select_best_terms(numbers, scales, targets), scales, X.shape[1]
        ).fit(X, y)

    def fit_transform(self, X: Floats, y: AnyArray) -> Floats:
        """Train on X (n, d) and y (n,), and return the transformed rows, (n, k)."""
        return self.fit(X, y).transform(X)

    def transform(self, X: Floats) -> Floats:
        """Transform rows, shape (n, d)."""
        columns: Floats = self._fitted.transform(X)
        return columns

    def _select_best_terms(self, X: Floats, scales: Floats, y: Floats) -> list[Term]:
        from sklearn.ensemble import ExtraTreesRegressor

        rows = np.random.default_rng(self.seed).permutation(len(X))[:MAX_SCORED_ROWS]
        X, y = X[rows], y[rows]
        forest = ExtraTreesRegressor(50, min_samples_leaf=3, n_jobs=1, random_state=self.seed)
        importances = forest.fit(X, y).feature_importances_
        ranked = [
            index for index in np.argsort(-importances, kind="stable").tolist() if scales[index] > 0
        ]
        scores = {at: _compute_explained_variance(X[:, at], y) for at in ranked[:COLUMNS]}
        candidates = _list_candidates(sorted(scores))
        columns = make_terms(candidates, scales, X.shape[1]).fit_transform(X)[:, X.shape[1] :]
        gains = [
            _compute_explained_variance(values, y) - max(scores[term.first], scores[term.second])
            for term, values in zip(candidates, columns.T, strict=True)
        ]
        best = np.argsort(-np.array(gains), kind="stable")[: self.terms]
        return [candidates[at] for at in best.tolist() if gains[at] > 0]


def _list_candidates(columns: Sequence[int]) -> list[Term]:
    """Return the terms of all pairs in the order of :func:`make_terms`."""
    pairs = list(itertools.combinations(columns, 2))
    return [
        *(Term("sum", *pair) for pair in pairs),
        *(Term("difference", *pair) for pair in pairs),
        *(Term("product", *pair) for pair in pairs),
        *(Term("ratio", *pair) for pair in pairs),
        *(Term("ratio", second, first) for first, second in pairs),
    ]


def _compute_explained_variance(values: Floats, y: Floats) -> float:
    """Return the score of a small tree of values (n,) for y, (n,) or (n, C), on held-out rows."""
    from sklearn.tree import DecisionTreeRegressor

    n_half, column = len(y) // 2, values[:, None]
    tree = DecisionTreeRegressor(max_depth=3, random_state=0).fit(column[:n_half], y[:n_half])
    return -float(np.mean((tree.predict(column[n_half:]) - y[n_half:]) ** 2))


def make_terms(terms: Sequence[Term], scales: Floats, n_columns: int) -> Any:
    """Return an unfitted transformer to all columns followed by standardised terms.

    Args:
        terms: Made in the order of sums and differences, products, ratios. Without any, the columns
            are unchanged.
        scales: Shape (m,). Standard deviations of the first columns.
    """
    from sklearn.pipeline import FeatureUnion, Pipeline
    from sklearn.preprocessing import StandardScaler

    linear = [term for term in terms if term.kind in {"sum", "difference"}]
    products = [term for term in terms if term.kind == "product"]
    ratios = [term for term in terms if term.kind == "ratio"]
    blocks: list[tuple[str, Any]] = []
    if linear:
        blocks.append(("sums", _make_sums(linear, scales, n_columns)))
    if products:
        blocks.append(("products", _make_products(products)))
    if ratios:
        blocks.append(("ratios", _make_ratios(ratios, scales)))
    if not blocks:
        return FeatureUnion([("columns", "passthrough")])
    standard = Pipeline([("make", FeatureUnion(blocks)), ("scale", StandardScaler())])
    return FeatureUnion([("columns", "passthrough"), ("terms", standard)])


def _make_sums(terms: Sequence[Term], scales: Floats, n_columns: int) -> Any:
    weigh = np.zeros((n_columns, len(terms)))
    for index, term in enumerate(terms):
        weigh[term.first, index] = 1.0 / scales[term.first]
        sign = 1.0 if term.kind == "sum" else -1.0
        weigh[term.second, index] = sign / scales[term.second]
    return _make_function_transformer(np.dot, b=weigh)


def _make_products(terms: Sequence[Term]) -> Any:
    from sklearn.pipeline import Pipeline

    pairs = np.array([(term.first, term.second) for term in terms])
    take = _make_function_transformer(np.take, indices=pairs, axis=1)
    return Pipeline([("take", take), ("multiply", _make_function_transformer(np.prod, axis=2))])


def _make_ratios(terms: Sequence[Term], scales: Floats) -> Any:
    """Return a transformer to a b / max(b², g²), a / b unless b is almost 0; scales are (m,)."""
    from sklearn.pipeline import FeatureUnion, Pipeline

    divisors = np.array([term.second for term in terms])
    smallest = (DIVISOR_FLOOR * scales[divisors]) ** 2
    reciprocal = Pipeline(
        [
            ("take", _make_function_transformer(np.take, indices=divisors, axis=1)),
            ("square", _make_function_transformer(np.square)),
            ("guard", _make_function_transformer(np.clip, a_min=smallest, a_max=None)),
            ("invert", _make_function_transformer(np.reciprocal)),
        ]
    )
    factors = FeatureUnion([("products", _make_products(terms)), ("one_over", reciprocal)])
    ratio_columns = _make_function_transformer(np.reshape, shape=(-1, 2, len(terms)))
    return Pipeline(
        [
            ("both", factors),
            ("apart", ratio_columns),
            ("multiply", _make_function_transformer(np.prod, axis=1)),
        ]
    )


def _make_function_transformer(function: Any, **arguments: Any) -> Any:
    from sklearn.preprocessing import FunctionTransformer

    return FunctionTransformer(function, kw_args=arguments or None)
