"""The interval of a gap between losses on two sets of rows."""

import math

from studio.data.intervals.loss import Interval


def gap_interval(
    loss: float, interval: Interval, other: float, other_interval: Interval
) -> Interval:
    """Return the 95 % interval of ``other − loss``, losses on rows that have nothing in common.

    Made of how far each loss may lie to either side (MOVER: Zou and Donner, Statistics in Medicine
    2008), so it is as wide and as lopsided as the intervals of the two ask for.

    Args:
        loss, other: The two losses.
        interval, other_interval: The 95 % interval of each
            (:func:`studio.data.intervals.loss.loss_interval`).
    """
    (low, high), (other_low, other_high) = interval, other_interval
    apart = other - loss
    return (
        apart - math.hypot(other - other_low, high - loss),
        apart + math.hypot(other_high - other, loss - low),
    )
