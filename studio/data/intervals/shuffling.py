"""What a column is worth: by how much a loss rises when it is shuffled, and if that is chance.

Two things are chance in it: which rows were asked about, and which value a row was given in the
shuffle. A row takes part in both, once as the one that is given another row's value and once as the
one whose value is given away, so both are counted for it (the projection of a U-statistic:
Hoeffding 1948), and rows are then resampled as for any loss.

Whether a column has anything to do with the target at all is asked of a test, which sees it in far
fewer rows: of a column without, a row's own value is no better than those that it was given, so any
of them might have been its own (the holdout randomisation test: Tansey et al. 2022, by rows).
"""

import numpy as np

from studio.arrays import AnyArray, Flags, Floats, Integers
from studio.data.intervals.loss import loss_ratios
from studio.data.intervals.resampling import CONFIDENCE, divided, one_more, resampled
from studio.data.metrics.base import Metric
from studio.data.metrics.weighting import loss_of
from studio.seeds import derive

LEVEL = 0.025
"""How often a column that has nothing to do with the target is said to matter."""

_PICKS = 999
"""Random choices of a row's own value."""

_TOGETHER = 256
"""Columns whose resamples are made at once: of more they would fill the memory."""


def row_parts(
    metric: Metric, truth: AnyArray, predictions: AnyArray, weights: Floats | None
) -> Floats | None:
    """Return what each row has to do with a loss: their mean is the loss.

    For a mean over rows that is what each row loses. For others it is how the loss would change
    were there a little more of the row (its influence, Hampel 1974), around the loss.

    Args:
        metric, truth, predictions, weights: As for
            :func:`studio.data.intervals.loss.loss_interval`.

    Returns:
        Shape (n,), or None. ``None`` where the loss is undefined.
    """
    taken = loss_ratios(metric, truth, predictions, weights)
    if taken is None:
        return None
    ratios, counted = taken
    total = ratios.below.sum(axis=1)
    level = divided(ratios.above.sum(axis=1), total)
    # By how much each ratio moves with a little more of a row; small, so that losses are straight.
    moved = divided(ratios.above - level[:, None] * ratios.below, total[:, None]).T
    little = 1e-4
    parts = np.zeros(len(truth))
    parts[counted] = (ratios.loss(level + little * moved) - ratios.loss(level)) / little
    scaled: Floats = len(truth) * (parts - parts.mean())
    return loss_of(metric, truth, predictions, weights) + scaled


def beyond_chance(losses: Floats) -> Flags:
    """Return which columns are worth more than one in 40 that have nothing to do with the target.

    Args:
        losses: Shape (k + 1, n, d). What each row loses (times its weight) with its own value of a
            column, and with each of k values of other rows. Rows are independent.

    Returns:
        Shape (d,).
    """
    n_values, n_rows, n_columns = losses.shape
    own = losses[0].sum(axis=0)
    # A sum that is not a standard deviation below its mean is no rare one.
    spread = np.sqrt(losses.var(axis=0).sum(axis=0))
    asked = np.flatnonzero(own < losses.mean(axis=0).sum(axis=0) - spread)
    rng = np.random.default_rng(derive(0, "shuffling", n_values, n_rows))
    kept, rows, lower = losses[:, :, asked], np.arange(n_rows), np.zeros(len(asked))
    for _ in range(_PICKS):
        lower += kept[rng.integers(0, n_values, n_rows), rows].sum(axis=0) <= own[asked]
    found = np.zeros(n_columns, dtype=np.bool_)
    found[asked] = (1 + lower) / (1 + _PICKS) <= LEVEL
    return found


def worth_intervals(parts: Floats, units: Integers | None = None) -> tuple[Floats, Floats]:
    """Return the 95 % interval of what each column is worth, shapes (d,).

    As in the difference of two losses, the unit that was not seen may differ as much as the one
    that differs most, so that one or two rows prove nothing.

    Args:
        parts: Shape (n, d). What each row has to do with the rise of the loss, their mean being the
            rise.
        units: Shape (n,). Which rows are drawn together
            (:func:`studio.data.intervals.resampling.units_of`).
    """
    low, high = np.empty(parts.shape[1]), np.empty(parts.shape[1])
    for first in range(0, parts.shape[1], _TOGETHER):
        block = slice(first, first + _TOGETHER)
        low[block], high[block] = _block(parts[:, block], units)
    return low, high


def _block(parts: Floats, units: Integers | None) -> tuple[Floats, Floats]:
    codes = np.arange(len(parts)) if units is None else units
    n_units = int(codes.max()) + 1
    sums = np.zeros((n_units, parts.shape[1]))
    np.add.at(sums, codes, parts)
    sizes = np.bincount(codes, minlength=n_units).astype(np.float64)
    farthest = np.abs(sums).max(axis=0) / sizes.mean()
    weight = resampled(sizes[None])
    more = one_more() * sizes.mean()
    unseen = more / (more + weight)
    apart = (1 - unseen) * resampled(sums.T) / weight
    tail = (1 - CONFIDENCE) / 2
    return (
        np.quantile(apart - unseen * farthest, tail, axis=0),
        np.quantile(apart + unseen * farthest, 1 - tail, axis=0),
    )
