"""Wilcoxon's signed-rank test with its exact null distribution, ties and zeros included."""

from dataclasses import dataclass

import numpy as np

from studio.arrays import Floats, Integers

ZEROS = "wilcox"
"""What is done with zero differences, by its usual name: they are dropped, as Wilcoxon did and as
the sign test drops equal means."""

_DIGITS = 12
"""Differences are rounded to this many digits of the largest, so that rounding breaks no ties."""


@dataclass(frozen=True)
class WilcoxonTest:
    """Outcome of a signed-rank test.

    Attributes:
        positive, negative: Sums of the ranks of positive and of negative differences.
        n: Differences that are not zero.
        p: Two-sided.
    """

    positive: float
    negative: float
    n: int
    p: float


def wilcoxon(differences: Floats) -> WilcoxonTest:
    """Test whether paired differences are symmetric about zero.

    The null distribution is exact, by recursion over the sums of (doubled, so whole) average ranks;
    every sign is a toss of a coin. Zeros are dropped; without any difference p is 1.

    Args:
        differences: Shape (n,). Finite, one a block.
    """
    from scipy.stats import rankdata

    d = _rounded(differences)
    d = d[d != 0]
    doubled = (2 * rankdata(np.abs(d))).astype(np.int64)
    positive, negative = int(doubled[d > 0].sum()), int(doubled[d < 0].sum())
    p = _two_sided(doubled, min(positive, negative))
    return WilcoxonTest(positive / 2, negative / 2, len(d), p)


def _rounded(d: Floats) -> Floats:
    largest = float(np.abs(d).max(initial=0.0))
    if largest == 0:
        return d
    rounded: Floats = np.round(d / largest, _DIGITS)
    return rounded


def null_distribution(ranks: Integers) -> Floats:
    """Return P(sum = s) when every rank counts or not by the toss of a coin.

    Args:
        ranks: Shape (n,). Whole numbers above 0.

    Returns:
        Shape (1 + sum of the ranks,). For s = 0, 1, …; they sum to 1.
    """
    probability = np.zeros(int(ranks.sum()) + 1)
    probability[0] = 1.0
    for rank in ranks:
        probability[rank:] = 0.5 * (probability[rank:] + probability[: len(probability) - rank])
        probability[:rank] *= 0.5
    return probability


def _two_sided(doubled: Integers, smaller: int) -> float:
    """Return P(smaller sum or less) · 2 when doubled ranks, (n,), fall on either side by a coin."""
    return min(1.0, 2 * float(null_distribution(doubled)[: smaller + 1].sum()))
