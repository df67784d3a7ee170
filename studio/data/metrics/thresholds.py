"""Labels of two classes by a threshold on a probability: what they get right, what they cost."""

import numpy as np

from studio.arrays import Flags, Floats
from studio.data.metrics.weighting import row_weights

_ROUNDING = 1e-12


def cells_at(
    positive: Flags, flagged: Flags, weights: Floats | None = None
) -> tuple[float, float, float, float]:
    """Return the weight of the rows that are found, missed, falsely flagged and rightly passed.

    Args:
        positive: Shape (n,). Whether each row is of the class that is looked for.
        flagged: Shape (n,). Whether it is labelled so.
        weights: Shape (n,), or None. How much each row counts, at least 0; all 1 where there are
            none.
    """
    counted = row_weights(weights, len(positive))
    cells = np.bincount(2 * ~positive + ~flagged, counted, minlength=4)
    found, missed, alarms, passed = map(float, cells)
    return found, missed, alarms, passed


def cost_curve(
    positive: Flags,
    scores: Floats,
    thresholds: Floats,
    costs: tuple[float, float],
    weights: Floats | None = None,
) -> Floats:
    """Return the mean cost of a row by the threshold from which on it is flagged, shape (k,).

    Args:
        positive, weights: As for :func:`cells_at`.
        scores: Shape (n,). The probability of the class.
        thresholds: Shape (k,). A row is flagged where its score is at least this.
        costs: Of a miss and of a false alarm.
    """
    counted = row_weights(weights, len(positive))
    order = np.argsort(scores, kind="stable")
    below = np.searchsorted(scores[order], thresholds, side="left")
    missed = np.concatenate([[0.0], np.cumsum((counted * positive)[order])])
    passed = np.concatenate([[0.0], np.cumsum((counted * ~positive)[order])])
    miss, alarm = costs
    total = miss * missed[below] + alarm * (passed[-1] - passed[below])
    mean: Floats = total / counted.sum()
    return mean


def threshold_within(share: float, scores: Floats, weights: Floats | None = None) -> float:
    """Return the lowest threshold that no larger share of these rows reaches.

    Between two neighbouring scores the middle represents all thresholds. Where more rows have the
    highest score than can be handled, it is one that only these reach.

    Args:
        share: Of the rows, in [0, 1].
        scores, weights: As for :func:`cost_curve`.
    """
    counted = row_weights(weights, len(scores))
    levels, places = np.unique(scores, return_inverse=True)
    reach = np.bincount(places, counted)[::-1].cumsum()[::-1] / counted.sum()
    within = np.flatnonzero(reach <= share + _ROUNDING)
    at = int(within[0]) if within.size else len(levels) - 1
    return float(levels[at] + levels[at - 1]) / 2 if at else float(levels[0])


def cheapest_threshold(
    positive: Flags, scores: Floats, costs: tuple[float, float], weights: Floats | None = None
) -> float:
    """Return the threshold of the least cost over these rows.

    Between two neighbouring scores all thresholds cost the same; the middle represents them all.
    Among equally cheap ones it is the nearest to alarm / (alarm + miss), which is the best where
    probabilities are exact (Elkan 2001, equation 2).

    Args:
        positive, scores, costs, weights: As for :func:`cost_curve`.
    """
    miss, alarm = costs
    exact = alarm / (alarm + miss)
    levels = np.unique(scores)
    middles = (levels[1:] + levels[:-1]) / 2
    tried = np.unique(np.concatenate([[0.0, exact, 1.0], middles]))
    mean = cost_curve(positive, scores, tried, costs, weights)
    # Sums of the same weights in another order may differ in their last bits.
    cheapest = tried[mean <= mean.min() + _ROUNDING * (miss + alarm)]
    return float(cheapest[np.abs(cheapest - exact).argmin()])
