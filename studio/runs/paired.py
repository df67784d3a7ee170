"""Whether one of two predictions of the same rows is better than chance would make it."""

import numpy as np

from studio.arrays import AnyArray, Floats
from studio.data.metrics.base import Metric
from studio.data.metrics.weighting import loss_of
from studio.seeds import derive

RESAMPLES = 400
"""Bootstrap samples of the rows behind an interval, as for the interval of one loss."""

CONFIDENCE = 0.95


def difference_interval(
    metric: Metric,
    truth: AnyArray,
    one: AnyArray,
    other: AnyArray,
    weights: Floats | None = None,
) -> list[float] | None:
    """Return the 95 % bootstrap interval of loss(one) - loss(other) over the same rows.

    Rows are drawn once for both: two models that err on the same rows differ by little, however
    wide the interval of each alone is (the paired bootstrap; Efron and Tibshirani, An Introduction
    to the Bootstrap, 1993, section 16.4 on comparing). Below zero: ``one`` is better.

    Parameters
    ----------
    metric : Metric
        A loss.
    truth, one, other : array
        Targets, and two predictions of the same rows: shape (n, C) or (n,).
    weights : array or None, shape (n,)
        The rows' weights.

    Returns
    -------
    list of two floats, or None
        ``None`` where the loss is undefined for most samples (broken predictions).
    """
    rng = np.random.default_rng(derive(0, "interval"))
    found: list[float] = []
    for _ in range(RESAMPLES):
        rows = rng.integers(truth.size, size=truth.size)
        drawn = None if weights is None else weights[rows]
        first = loss_of(metric, truth[rows], one[rows], drawn)
        second = loss_of(metric, truth[rows], other[rows], drawn)
        if np.isfinite(first) and np.isfinite(second):
            found.append(first - second)
    if len(found) < RESAMPLES // 2:
        return None
    tail = (1 - CONFIDENCE) / 2
    bounds: Floats = np.quantile(found, [tail, 1 - tail])
    return [float(bounds[0]), float(bounds[1])]
