"""The interval of the difference of two losses on the same rows."""

from dataclasses import dataclass

import numpy as np

from studio.arrays import AnyArray, Floats, Integers
from studio.data.intervals.loss import Interval, loss_ratios, recoded
from studio.data.intervals.resampling import divided, ends, one_more, resampled, sums
from studio.data.metrics.base import Metric
from studio.data.metrics.ratios import Ratios


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
        metric, truth, weights, units: As for :func:`studio.data.intervals.loss.loss_interval`.
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
