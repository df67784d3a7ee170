"""Wilcoxon's signed-rank test with its exact null distribution, ties and zeros included."""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from studio.arrays import Floats, Integers
from studio.errors import UsageError

ZeroRule = Literal["wilcox", "pratt", "zsplit"]
"""``wilcox``: zeros are dropped. ``pratt``: zeros are ranked, then dropped. ``zsplit``: zeros are
ranked, and each gives half its rank to either side (Demšar 2006)."""

_DIGITS = 12
"""Differences are rounded to this many digits of the largest, so that rounding breaks no ties."""


@dataclass(frozen=True)
class WilcoxonTest:
    """Outcome of a signed-rank test.

    Attributes
    ----------
    positive, negative : float
        Sums of the ranks of positive and of negative differences.
    n : int
        Differences that were not dropped.
    p : float
        Two-sided.
    zeros : ZeroRule
        What was done with zero differences.
    """

    positive: float
    negative: float
    n: int
    p: float
    zeros: ZeroRule


def wilcoxon(differences: Floats, zeros: ZeroRule = "wilcox") -> WilcoxonTest:
    """Test whether paired differences are symmetric about zero.

    The null distribution is exact, by recursion over the sums of (doubled, so whole) average ranks;
    every sign is a toss of a coin. Without any difference p is 1.

    Parameters
    ----------
    differences : array, shape (n,)
        Finite, one a block.
    zeros : ZeroRule
        What is done with zero differences.

    Raises
    ------
    UsageError
        If the rule is unknown.
    """
    if zeros not in get_args(ZeroRule):
        raise UsageError(
            "Zeros are treated by one of {rules}; {zeros!r} was given.",
            rules=", ".join(get_args(ZeroRule)),
            zeros=zeros,
        )
    from scipy.stats import rankdata

    d = _rounded(differences)
    if zeros == "wilcox":
        d = d[d != 0]
    doubled = (2 * rankdata(np.abs(d))).astype(np.int64)
    signed = d != 0
    positive, negative = int(doubled[d > 0].sum()), int(doubled[d < 0].sum())
    p = _two_sided(doubled[signed], min(positive, negative))
    shared = doubled[~signed].sum() / 2 if zeros == "zsplit" else 0.0
    return WilcoxonTest(
        positive=(positive + shared) / 2,
        negative=(negative + shared) / 2,
        n=len(d) if zeros == "zsplit" else int(signed.sum()),
        p=p,
        zeros=zeros,
    )


def _rounded(d: Floats) -> Floats:
    largest = float(np.abs(d).max(initial=0.0))
    if largest == 0:
        return d
    rounded: Floats = np.round(d / largest, _DIGITS)
    return rounded


def null_distribution(ranks: Integers) -> Floats:
    """Return P(sum = s) when every rank counts or not by the toss of a coin.

    Parameters
    ----------
    ranks : array, shape (n,)
        Whole numbers above 0.

    Returns
    -------
    array, shape (1 + sum of the ranks,)
        For s = 0, 1, …; they sum to 1.
    """
    probability = np.zeros(int(ranks.sum()) + 1)
    probability[0] = 1.0
    for rank in ranks:
        probability[rank:] = 0.5 * (probability[rank:] + probability[: len(probability) - rank])
        probability[:rank] *= 0.5
    return probability


def _two_sided(doubled: Integers, smaller: int) -> float:
    """Return P(smaller sum or less) · 2 when every doubled rank falls on either side by a coin."""
    return min(1.0, 2 * float(null_distribution(doubled)[: smaller + 1].sum()))
