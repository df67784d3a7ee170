"""Weighted means and quantiles of rows."""

import numpy as np

from studio.arrays import AnyArray, Floats
from studio.errors import DataError


def make_row_weights(weights: Floats | None, n_rows: int) -> Floats:
    """Return the rows' weights, (n_rows,), by default ones; raise DataError if all are 0."""
    if weights is None:
        return np.ones(n_rows)
    if not weights.any():
        raise DataError("All evaluated rows have weight 0. Choose another split or weight column.")
    return weights


def compute_mean(values: AnyArray, weights: Floats | None) -> float:
    """Return the mean of values (n,), weighted by weights (n,), at least 0, if given."""
    if weights is None:
        return float(values.mean())
    return float(np.average(values, weights=make_row_weights(weights, len(values))))


def compute_median(values: Floats, weights: Floats | None) -> float:
    """Return the weighted median of values, shape (n,)."""
    return compute_quantile(values, weights, 0.5)


def compute_quantile(values: Floats, weights: Floats | None, level: float) -> float:
    """Return the weighted quantile of a share.

    If the share is reached exactly at a value, return the mean of it and the next one, as in the
    median of an even number of values.

    Args:
        values: Shape (n,). Numbers.
        weights: Shape (n,). At least 0; ``None``: equal.
        level: The share, in [0, 1].
    """
    weight = make_row_weights(weights, len(values))
    has_weight = weight > 0
    order = np.argsort(values[has_weight], kind="stable")
    sorted_values = values[has_weight][order]
    cumulative_weights = np.cumsum(weight[has_weight][order])
    target_weight = level * cumulative_weights[-1]
    index = int(np.searchsorted(cumulative_weights, target_weight))
    next_index = index + 1 if cumulative_weights[index] == target_weight else index
    return float((sorted_values[index] + sorted_values[next_index]) / 2)
