"""By how much one method is better over data sets, and what a study of its size would have seen.

Both belong to Wilcoxon's signed-rank test: the interval holds every shift that it does not reject.
"""

import numpy as np

from studio.arrays import Floats
from studio.compare.statistics.intervals import LEVEL, Interval
from studio.compare.statistics.wilcoxon import null_distribution

POWER = 0.8
"""How often a difference would be found that a study is said to be able to see."""

_DRAWN = 1_000
"""Imagined studies; a share of them has a standard error of 1.3 points at 80 %."""

_HALVINGS = 12


def median_shift(differences: Floats) -> Interval:
    """Return Hodges and Lehmann's estimate of a median, with its exact 95 % interval.

    The estimate is the median of all means of two differences (each with itself, too). The interval
    reaches from the k-th smallest to the k-th largest of them, by the null distribution of the
    signed-rank sum for untied differences (Hollander, Wolfe and Chicken 2014, section 3.3): it
    covers at least 95 %, where differences are symmetric about their median.

    Args:
        differences: Shape (n,). Finite, one a data set; at least one.

    Returns:
        With infinite ends for fewer than six: no shift is ever rejected then.
    """
    first, second = np.triu_indices(len(differences))
    means = np.sort((differences[first] + differences[second]) / 2)
    outside = _critical(len(differences))
    if outside < 0:
        return Interval(float(np.median(means)), -np.inf, np.inf)
    ends = float(means[outside]), float(means[len(means) - 1 - outside])
    return Interval(float(np.median(means)), *ends)


def detectable(differences: Floats) -> float:
    """Return the shift that the test would find in 80 % of studies with such a spread.

    Imagined studies draw as many data sets from those that are there, each difference with either
    sign about the estimated shift, so that there is none; then as much is added to all as makes
    80 % of them significant at 5 %, without a correction for further pairs.

    Args:
        differences: Shape (n,). As :func:`median_shift` takes them.

    Returns:
        Not below 0; infinite for fewer than six, 0 where all are equal.
    """
    n = len(differences)
    critical = _critical(n)
    if critical < 0:
        return float("inf")
    rng = np.random.default_rng(0)
    # As a variance from a sample: about its own middle the sample is too narrow.
    spread = (differences - median_shift(differences).mean) * np.sqrt(n / (n - 1))
    drawn = spread[rng.integers(n, size=(_DRAWN, n))] * rng.choice([-1.0, 1.0], size=(_DRAWN, n))
    low, high = 0.0, 4 * float(np.abs(spread).max())
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if _found(drawn + middle, critical) < POWER:
            low = middle
        else:
            high = middle
    return high


def _critical(n: int) -> int:
    """Return the largest signed-rank sum of n differences that is significant; −1 if none is."""
    probability = np.cumsum(null_distribution(np.arange(1, n + 1)))
    return int(np.searchsorted(probability, LEVEL / 2, side="right")) - 1


def _found(studies: Floats, critical: int) -> float:
    """Return the share of studies, shape (studies, n), that the test calls significant."""
    ranks = np.abs(studies).argsort(axis=1).argsort(axis=1) + 1
    positive = np.where(studies > 0, ranks, 0).sum(axis=1)
    smaller = np.minimum(positive, ranks.sum(axis=1) - positive)
    return float(np.mean(smaller <= critical))
