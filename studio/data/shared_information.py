"""Groups of redundant columns, by shared information: that of one column which another also has.

It is measured as a share of the variance of ranks, or of the deviation from independence: the
squared rank correlation of two numbers (Spearman 1904), the squared correlation ratio of ranks by
category (Kelley's ε², 1935, free of the bias towards many categories), the square of Cramér's V of
two categories (with the correction of Bergsma 2013).
"""

import numpy as np
import pandas as pd
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform
from scipy.stats import chi2, f

from studio.arrays import AnyArray, Flags, Floats, Integers
from studio.data.problem import Problem

MAX_P_VALUE = 1e-6
"""Maximum probability of such similarity between independent columns: there are many pairs."""

MIN_SHARED_INFORMATION = 0.5
"""Minimum shared information of redundant columns: above one half, either column can replace more
than half of the other (a rank correlation of 0.71).
"""

MAX_COLUMNS = 300
"""Number of leading columns compared at most: each categorical pair needs a separate table."""

_MAX_ROWS = 2000
_SEED = 1

_MIN_ROWS = 50
"""Minimum number of rows in which both columns are known: above it a rank correlation of 0.71 by
chance is improbable (:data:`MAX_P_VALUE`).
"""


def compute_shared_information(X: Floats, categorical: Flags) -> Floats:
    """Return the share of common information of each pair of columns, symmetric, shape (d, d).

    Args:
        X: Shape (n, d). Numbers and codes of categories; NaN where missing; a pair ignores such
            rows.
        categorical: Shape (d,). Which columns hold codes.
    """
    shares = np.eye(X.shape[1])
    numbers, codes = np.flatnonzero(~categorical), np.flatnonzero(categorical)
    ranks = pd.DataFrame(X[:, numbers]).rank()
    absolute_correlation = ranks.corr(min_periods=_MIN_ROWS).to_numpy()
    shares[np.ix_(numbers, numbers)] = np.nan_to_num(np.square(absolute_correlation))
    for index, column in enumerate(codes):
        by_category = _compute_correlation_ratio(X[:, column], ranks.to_numpy())
        shares[column, numbers] = shares[numbers, column] = by_category
        for other in codes[:index]:
            shares[column, other] = shares[other, column] = _compute_cramers_v(
                X[:, column], X[:, other]
            )
    np.fill_diagonal(shares, 1.0)
    return np.clip(shares, 0.0, 1.0)


def rank_columns_by_target(
    X: Floats, categorical: Flags, y: AnyArray, *, is_classification: bool
) -> Integers:
    """Return the columns (k,) that share information with y (n,), in descending order.

    Columns as for :func:`compute_shared_information`; y holds class codes or values.
    """
    shares = np.array(
        [
            compute_shared_information(
                np.column_stack([x, y]), np.array([is_code, is_classification])
            )[0, 1]
            for x, is_code in zip(X.T, categorical.tolist(), strict=True)
        ]
    )
    order = np.argsort(-shares, kind="stable")
    return order[shares[order] > 0]


def find_joint_groups(problem: Problem) -> tuple[tuple[int, ...], ...]:
    """Return groups of redundant columns, and of all parts of a date; those that overlap merged.

    If only one of them is shuffled, a model can still use the others. Each has two or more column
    indices, ascending; of wide tables the first :data:`MAX_COLUMNS` columns are compared.
    """
    X = _sample_rows(problem.X)
    shares = compute_shared_information(
        np.asarray(X[:, :MAX_COLUMNS], np.float64), problem.categorical[:MAX_COLUMNS]
    )
    sources = [each.column_name for each in problem.make_recipe().features]
    codes = np.unique(sources, return_inverse=True)[1]
    for group in group_columns(shares):
        codes[np.isin(codes, codes[list(group)])] = codes[group[0]]
    return _list_groups(codes)


def list_units(problem: Problem) -> tuple[tuple[int, ...], ...]:
    """Return the columns of each unit, in ascending order of the lowest: one, or joint terms.

    Terms of one text that occur in the same rows are one unit, the longest first: a model can
    replace each of them by the others. They are compared by presence, since weights also depend on
    the rest of the text.
    """
    X, features = _sample_rows(problem.X), problem.make_recipe().features
    columns_by_text: dict[str, list[int]] = {}
    for column, each in enumerate(features):
        if each.term is not None:
            columns_by_text.setdefault(each.column_name, []).append(column)
    units: list[tuple[int, ...]] = [(k,) for k, each in enumerate(features) if each.term is None]
    for columns in columns_by_text.values():
        presence = np.asarray(X[:, columns] > 0, np.float64)
        shares = compute_shared_information(presence, np.zeros(len(columns), dtype=np.bool_))
        # Not terms that exclude each other: they share information, but no rows.
        frequency = presence.mean(axis=0)
        shares[presence.T @ presence <= len(X) * np.outer(frequency, frequency)] = 0.0
        groups = [[columns[k] for k in group] for group in group_columns(shares)]
        single = set(columns).difference(*groups)
        units += [tuple(sorted(each, key=lambda k: -len(features[k].name))) for each in groups]
        units += [(k,) for k in single]
    return tuple(sorted(units, key=min))


def merge_units(
    groups: tuple[tuple[int, ...], ...], units: tuple[tuple[int, ...], ...]
) -> tuple[tuple[int, ...], ...]:
    """Return groups of units for groups of columns, without those of a single unit."""
    unit_by_column = {column: index for index, unit in enumerate(units) for column in unit}
    merged = (tuple(sorted({unit_by_column[k] for k in group})) for group in groups)
    return tuple(each for each in merged if len(each) > 1)


def _sample_rows(X: AnyArray) -> AnyArray:
    if len(X) <= _MAX_ROWS:
        return X
    return X[np.sort(np.random.default_rng(_SEED).choice(len(X), _MAX_ROWS, replace=False))]


def group_columns(shares: Floats) -> tuple[tuple[int, ...], ...]:
    """Return groups in which each pair shares at least :data:`MIN_SHARED_INFORMATION`.

    By complete linkage: a chain of neighbours with unrelated ends is not one group. Shares, (d, d),
    are symmetric, in [0, 1].
    """
    if len(shares) < 2:
        return ()
    distances = 1.0 - shares
    np.fill_diagonal(distances, 0.0)
    tree = linkage(squareform(distances, checks=False), "complete")
    return _list_groups(fcluster(tree, 1.0 - MIN_SHARED_INFORMATION + 1e-12, "distance"))


def _list_groups(labels: AnyArray) -> tuple[tuple[int, ...], ...]:
    """Return the positions of each label, (d,), that occurs more than once."""
    groups = [tuple(np.flatnonzero(labels == label).tolist()) for label in np.unique(labels)]
    return tuple(sorted(each for each in groups if len(each) > 1))


def _compute_correlation_ratio(codes: Floats, ranks: AnyArray) -> Floats:
    """Return ε² of ranks, shape (n, m), by the categories of codes, shape (n,): shape (m,)."""
    is_known = ~np.isnan(codes)
    levels, level_index = np.unique(codes[is_known], return_inverse=True)
    one_hot = np.eye(len(levels))[level_index]  # (rows, levels)
    presence = (~np.isnan(ranks[is_known])).astype(np.float64)
    values = np.nan_to_num(ranks[is_known])
    rows = presence.sum(axis=0)
    mean = values.sum(axis=0) / np.maximum(1.0, rows)
    values = (values - mean) * presence
    counts, sums = one_hot.T @ presence, one_hot.T @ values
    between = (np.square(sums) / np.maximum(1.0, counts)).sum(axis=0)
    total_squares = np.square(values).sum(axis=0)
    n_levels = (counts > 0).sum(axis=0)
    df_between, df_within = np.maximum(1, n_levels - 1), np.maximum(1.0, rows - n_levels)
    within_variance = np.maximum(total_squares - between, 1e-12 * np.maximum(total_squares, 1.0))
    is_beyond_chance = (
        f.sf((between / df_between) / (within_variance / df_within), df_between, df_within)
        < MAX_P_VALUE
    )
    is_valid = (rows >= _MIN_ROWS) & (total_squares > 0) & (rows > n_levels) & is_beyond_chance
    unexplained = np.divide(
        within_variance, total_squares, out=np.ones_like(total_squares), where=is_valid
    )
    return np.where(is_valid, np.maximum(0.0, 1.0 - unexplained * (rows - 1) / df_within), 0.0)


def _compute_cramers_v(one: Floats, other: Floats) -> float:
    """Return the square of Cramér's V of two columns of codes, shape (n,), corrected for bias."""
    is_known = ~np.isnan(one) & ~np.isnan(other)
    rows = int(is_known.sum())
    if rows < _MIN_ROWS:
        return 0.0
    first, second = (np.unique(each[is_known], return_inverse=True)[1] for each in (one, other))
    k, r = int(first.max()) + 1, int(second.max()) + 1
    counts = np.bincount(first * r + second, minlength=k * r).reshape(k, r)
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / rows
    square = float((np.square(counts - expected) / expected).sum())
    if k < 2 or r < 2 or chi2.sf(square, (k - 1) * (r - 1)) >= MAX_P_VALUE:
        return 0.0
    phi = square / rows
    phi = max(0.0, phi - (k - 1) * (r - 1) / (rows - 1))
    max_v = min(k - (k - 1) ** 2 / (rows - 1), r - (r - 1) ** 2 / (rows - 1)) - 1
    return phi / max_v if max_v > 0 else 0.0
