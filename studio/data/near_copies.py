"""Numeric columns that follow a numeric target too closely to be only related to it.

An amount computed from the target need not be proportional: a refund of 78 to 82 %, a commission,
a price in thousands. Estimates with an error of 5 %, trends and previous values remain unnoticed.
"""

import numpy as np

from studio.arrays import Floats, Integers
from studio.data.identifiers import FEW_ROWS
from studio.data.value_codes import TargetCells, space_rows_evenly
from studio.phrases import phrase

_MIN_CORRELATION = 0.999
"""Minimum correlation, of numbers or of ranks. In 50 tables of regression, no column's exceeds .994
(body density, from which body fat is computed); the next one's is .93."""

_MAX_SHARE_RANGE = 0.1
"""Maximum range of 90 % of the ratios to the target, relative to their median: ±5 %. In those
tables, the smallest is .41."""

_MIN_RANGE_RATIO = 5.0
"""Minimum range of 90 % of the target's numbers, relative to their median, as a multiple of the
ratios' range: if all numbers are similar, so are their ratios to any similar numbers."""

_MIN_STEP_CORRELATION = 0.95
"""Minimum correlation of changes from row to row: trends over time and previous values follow a
target closely as well, but not its changes."""

_MIN_SAMPLED_CORRELATION = 0.95
_MIN_STEPS = 5  # minimum number of values of a rounded target


def compute_correlation(x: Floats, y: Floats) -> float:
    """Return the absolute correlation of two columns, shape (n,); 0 if one is constant."""
    x, y = x - x.mean(), y - y.mean()
    scale = float(np.sqrt((x @ x) * (y @ y)))
    return abs(float(x @ y)) / scale if scale > 0 else 0.0


def rank_correlation(x: Integers, y: Integers) -> float:
    """Return the absolute rank correlation of ordered codes, (n,)."""
    return compute_correlation(compute_ranks(x), compute_ranks(y))


def compute_ranks(codes: Integers) -> Floats:
    """Return the ranks of codes, (n,), with mean ranks for ties."""
    counts = np.bincount(codes)
    ranks: Floats = np.cumsum(counts) - (counts - 1) / 2
    return ranks[codes]


def find_near_copy(codes: Integers, numbers: Floats, target: TargetCells) -> str:
    """Return a message if a column is probably computed from the numbers of the target.

    Args:
        codes: Shape (n,), -1 where empty; ascending like the numbers.
        numbers: Shape (k,). The number of each code.
    """
    values, is_known = target.column.numbers, codes >= 0
    if values is None or target.can_be_classes or is_known.sum() < FEW_ROWS:
        return ""
    x, y = codes[is_known], target.codes[is_known]
    sample = space_rows_evenly(len(x))
    if rank_correlation(x[sample], y[sample]) < _MIN_SAMPLED_CORRELATION:
        return ""
    if n_steps := _count_steps(x, y):
        return phrase(
            "It puts the rows in the same order as {name!r}, in {count:,} steps.",
            name=target.name,
            count=n_steps,
        )
    pairs = ((numbers[x], values[y]), (compute_ranks(x), compute_ranks(y)))
    correlation, step_correlation = (
        max(compute_correlation(*each) for each in columns)
        for columns in (pairs, [(np.diff(a), np.diff(b)) for a, b in pairs])
    )
    limits = _find_share(*pairs[0])
    if step_correlation < _MIN_STEP_CORRELATION or (not limits and correlation < _MIN_CORRELATION):
        return ""
    if limits:
        return phrase(
            "In nine of ten rows it is {low:.4g} to {high:.4g} % of {name!r}.",
            low=100 * limits[0],
            high=100 * limits[1],
            name=target.name,
        )
    return phrase(
        "It carries nearly the same information as {name!r} (correlation above {same}).",
        name=target.name,
        same=_MIN_CORRELATION,
    )


def _find_share(x: Floats, y: Floats) -> tuple[float, float] | None:
    """Return the limits of 90 % of the ratios x / y, both (n,), if these are nearly constant."""
    is_filled = (x != 0) | (y != 0)
    x, y = x[is_filled], y[is_filled]
    if len(x) < FEW_ROWS:
        return None
    ratios = np.divide(x, y, out=np.full(len(x), np.inf), where=y != 0)
    low, median, high = np.quantile(ratios, (0.05, 0.5, 0.95), method="nearest").tolist()
    first, middle, last = np.quantile(y, (0.05, 0.5, 0.95)).tolist()
    if not np.isfinite(high) or not median or not middle:
        return None
    share_range = (high - low) / abs(median)
    target_range = (last - first) / abs(middle)
    is_constant = share_range <= min(_MAX_SHARE_RANGE, target_range / _MIN_RANGE_RATIO)
    return (low, high) if is_constant else None


def _count_steps(x: Integers, y: Integers) -> int:
    """Return the number of values of column x if it is a target y in steps, else 0; both (n,).

    Such as rounded values. In rows sorted by the target, it may be the time.
    """
    changes = np.diff(y)
    if (changes >= 0).all() or (changes <= 0).all():
        return 0
    pairs = np.unique(np.stack([y, x], axis=1), axis=0)
    if len(pairs) != len(np.unique(y)):
        return 0
    steps, n_steps = np.diff(pairs[:, 1]), len(np.unique(x))
    is_monotone = (steps >= 0).all() or (steps <= 0).all()
    return n_steps if is_monotone and n_steps >= _MIN_STEPS else 0
