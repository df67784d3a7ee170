"""Rows that do not all count the same: means and totals over weighted rows."""

import numpy as np

from studio.arrays import AnyArray, Floats
from studio.errors import DataError


def row_weights(weights: Floats | None, n_rows: int) -> Floats:
    """Return the weight of each row, shape (n_rows,); ones where there are none.

    Raises
    ------
    DataError
        If all rows weigh nothing.
    """
    if weights is None:
        return np.ones(n_rows)
    if not weights.any():
        raise DataError(
            "All rows that are to be judged weigh 0. Choose another split or weight column."
        )
    return weights


def mean(values: AnyArray, weights: Floats | None) -> float:
    """Return Σ w·v / Σ w, the plain mean where there are no weights.

    Parameters
    ----------
    values : array, shape (n,)
        Numbers or flags.
    weights : array, shape (n,), or None
        At least 0.
    """
    if weights is None:
        return float(values.mean())
    return float(np.average(values, weights=row_weights(weights, len(values))))


def median(values: Floats, weights: Floats | None) -> float:
    """Return the value below and above which half of the weight lies.

    Where a value ends exactly at half of the weight, the mean of it and the next one, as in the
    plain median of an even number of values.
    """
    if weights is None:
        return float(np.median(values))
    counted = row_weights(weights, len(values)) > 0
    order = np.argsort(values[counted], kind="stable")
    ordered, below = values[counted][order], np.cumsum(weights[counted][order])
    half = below[-1] / 2
    at = int(np.searchsorted(below, half))
    after = at + 1 if below[at] == half else at
    return float((ordered[at] + ordered[after]) / 2)
