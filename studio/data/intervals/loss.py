"""Intervals of one loss, of the difference of two on the same rows, of the gap between two sets."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from studio.arrays import AnyArray, Floats, Integers
from studio.data.intervals.resampling import divided, ends, one_more, resampled, sums
from studio.data.metrics.base import Metric
from studio.data.metrics.ratios import Ratios

Interval = tuple[float, float]
"""The lower and the upper end."""


def loss_interval(
    metric: Metric,
    truth: AnyArray,
    predictions: AnyArray,
    weights: Floats | None = None,
    *,
    units: Integers | None = None,
) -> Interval | None:
    """Return the 95 % interval of a loss, were other rows of the same kind drawn.

    Args:
        metric: The loss.
        truth, predictions, weights: As :meth:`studio.data.metrics.base.Metric.loss` takes them.
        units: Shape (n,). Which rows are drawn together
            (:func:`studio.data.intervals.resampling.units_of`).

    Returns:
        ``None`` where the loss is undefined: broken predictions, or nothing to rank.
    """
    taken = loss_ratios(metric, truth, predictions, weights)
    if taken is None:
        return None
    ratios, counted = taken
    found = sums(ratios, recoded(units, counted))
    worst = np.where(ratios.wrong, ratios.beyond * found.shares.max(axis=1), ratios.worst)
    above, below, more = (
        resampled(found.above),
        resampled(found.below),
        one_more(1 if units is not None else len(worst)),
    )
    right, wrong = more * found.below.max(axis=1), more * found.typical
    return ends(
        ratios.loss(divided(above, below + right)),
        ratios.loss(divided(above + wrong * worst, below + wrong)),
        found.above.shape[1] if ratios.estimated else None,
    )


def loss_ratios(
    metric: Metric, truth: AnyArray, predictions: AnyArray, weights: Floats | None
) -> tuple[Ratios, AnyArray] | None:
    """Return the ratios of a loss, and which rows count; ``None`` where it is undefined.

    Truth and weights have shape (n,), predictions (n, C) or (n,), the flags of the rows (n,).
    """
    counted = np.ones(len(truth), dtype=np.bool_) if weights is None else weights > 0
    weight = np.ones(len(truth)) if weights is None else weights
    if not counted.any() or not np.isfinite(predictions).all():
        return None
    ratios = metric.ratios(truth[counted], predictions[counted], weight[counted])
    if ratios is None or not np.isfinite(ratios.above.sum()):
        return None
    return ratios, counted


def recoded(units: Integers | None, counted: AnyArray) -> Integers | None:
    """Return the units (m,) of the rows that count, flags (n,), as codes without a gap."""
    if units is None:
        return None
    return np.unique(units[counted], return_inverse=True)[1].astype(np.int64)


def difference_interval(
    metric: Metric,
    truth: AnyArray,
    one: AnyArray,
    other: AnyArray,
    weights: Floats | None = None,
    *,
    units: Integers | None = None,
) -> Interval | None:
    """Return the 95 % interval of loss(one) − loss(other) over the same rows.

    Units are drawn once for both: two models that err on the same rows differ by little, however
    wide the interval of each alone is. The unit that has not been seen differs as much as the one
    that differs most, in favour of the other model at the upper end, of the first at the lower.
    Below zero: ``one`` is better.

    Args:
        metric, truth, weights, units: As for :func:`loss_interval`.
        one, other: Two predictions of the same rows: shape (n, C) or (n,).

    Returns:
        ``None`` where either loss is undefined (broken predictions); both 0 where the two are
        equally wrong in every unit.
    """
    first, second = (loss_ratios(metric, truth, each, weights) for each in (one, other))
    if first is None or second is None:
        return None
    codes = recoded(units, first[1])
    mine, theirs = (_Resampled.of(ratios, codes) for ratios, _ in (first, second))
    n_units = len(mine.adds)
    farthest = n_units * np.abs(mine.adds - theirs.adds).max()
    more = one_more()[:, 0]
    unseen = more / (more + resampled(np.ones((1, n_units)))[:, 0])
    apart = (1 - unseen) * (mine.losses - theirs.losses)
    return ends(apart - unseen * farthest, apart + unseen * farthest)


@dataclass(frozen=True, eq=False)
class _Resampled:
    """One of two predictions.

    Attributes:
        losses: Shape (DRAWS,). Of its resamples.
        adds: Shape (u,). How much of its loss is due to each unit.
    """

    losses: Floats
    adds: Floats

    @classmethod
    def of(cls, ratios: Ratios, units: Integers | None) -> "_Resampled":
        found = sums(ratios, units)
        total = found.below.sum(axis=1)
        level = divided(found.above.sum(axis=1), total)
        higher = level + divided(found.above, total[:, None]).T
        return cls(
            losses=ratios.loss(divided(resampled(found.above), resampled(found.below))),
            adds=ratios.loss(higher) - ratios.loss(level),
        )


def losses_together(
    metric: Metric,
    truth: AnyArray,
    predictions: Sequence[AnyArray],
    weights: Floats | None = None,
    *,
    units: Integers | None = None,
) -> Floats | None:
    """Return the losses of p predictions were other rows of the same kind drawn, shape (DRAWS, p).

    In each draw the same rows count for all of them, so that what they have in common cancels where
    they are compared.

    Args:
        metric, truth, weights, units: As for :func:`loss_interval`.
        predictions: Shape (n, C) or (n,). What is judged.

    Returns:
        ``None`` where a loss is undefined.
    """
    found = []
    for each in predictions:
        taken = loss_ratios(metric, truth, each, weights)
        if taken is None:
            return None
        ratios, counted = taken
        parts = sums(ratios, recoded(units, counted))
        found.append(ratios.loss(divided(resampled(parts.above), resampled(parts.below))))
    return np.column_stack(found)


def gap_interval(
    loss: float, interval: Interval, other: float, other_interval: Interval
) -> Interval:
    """Return the 95 % interval of ``other − loss``, losses on rows that have nothing in common.

    Made of how far each loss may lie to either side (MOVER: Zou and Donner, Statistics in Medicine
    2008), so it is as wide and as lopsided as the intervals of the two ask for.

    Args:
        loss, other: The two losses.
        interval, other_interval: The 95 % interval of each
            (:func:`loss_interval`).
    """
    (low, high), (other_low, other_high) = interval, other_interval
    apart = other - loss
    return (
        apart - math.hypot(other - other_low, high - loss),
        apart + math.hypot(other_high - other, loss - low),
    )
