"""Whether a date says when a row was recorded, or belongs to what the row describes.

A date of birth or of a car's first registration is like any other column: to test on the latest of
these would answer another question, and models would no longer see the column.
"""

import numpy as np

from studio.arrays import Floats
from studio.data.distinct import Distinct
from studio.data.identifiers import FEW_ROWS
from studio.data.value_codes import Answer

_IN_ORDER = 0.5
"""Rank correlation of dates and row numbers from which on rows are in the order of their dates."""

_STEPS = 0.75
"""Share of steps from a row to the next in one direction; above this rows are in order in parts, as
where those of each shop are together."""

_DEPENDS = 0.6
"""Rank correlation of dates and target from which on the date is much of what tells the target."""

_DECADES = 25 * 365.25 * 86400.0
"""Seconds that the inner 98 % of the dates span where nobody recorded rows for so long."""


def describes_row(dates: Distinct, answer: Answer) -> bool:
    """Return whether a column of dates is a property of what rows describe, by evidence alone.

    It is one if rows are in no order of it and it spans decades or tells much of a numeric target.
    Of too few rows nothing is known: no.

    Args:
        dates: The column's cells.
        answer: The column to predict.
    """
    moments = np.asarray(dates.moments())[dates.codes]
    known = ~np.isnan(moments)
    if known.sum() < FEW_ROWS or _in_order(moments[known]):
        return False
    low, high = np.quantile(moments[known], [0.01, 0.99])
    if high - low > _DECADES:
        return True
    numbers = answer.column.numbers
    if numbers is None:
        return False
    known &= answer.codes >= 0
    if known.sum() < FEW_ROWS:
        return False
    return abs(_rank_correlation(moments[known], numbers[answer.codes[known]])) >= _DEPENDS


def _in_order(moments: Floats) -> bool:
    """Return whether rows come by their dates, in all or in parts, upwards or downwards."""
    steps = np.sign(np.diff(moments))
    moved = np.count_nonzero(steps)
    if not moved or abs(_rank_correlation(np.arange(float(len(moments))), moments)) >= _IN_ORDER:
        return True
    return bool(max(np.count_nonzero(steps > 0), np.count_nonzero(steps < 0)) >= _STEPS * moved)


def _rank_correlation(x: Floats, y: Floats) -> float:
    """Return Spearman's correlation; ties share their mean rank; 0 where either is constant."""
    one, two = _ranks(x), _ranks(y)
    spread = float(one.std() * two.std())
    return float(((one - one.mean()) * (two - two.mean())).mean()) / spread if spread else 0.0


def _ranks(values: Floats) -> Floats:
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    ranks: Floats = (ends - (counts - 1) / 2)[place]
    return ranks
