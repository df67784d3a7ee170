"""The losses of several predictions of the same rows, resampled together."""

from collections.abc import Sequence

import numpy as np

from studio.arrays import AnyArray, Floats, Integers
from studio.data.intervals.loss import loss_ratios, recoded
from studio.data.intervals.resampling import divided, resampled, sums
from studio.data.metrics.base import Metric


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
        metric, truth, weights, units: As for :func:`studio.data.intervals.loss.loss_interval`.
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
