"""The interval of one loss."""

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
            (:func:`studio.data.intervals.units.units_of`).

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
