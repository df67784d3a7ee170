"""Friedman's test over all methods, and Iman and Davenport's, less conservative (Demšar 2006)."""

import math
from dataclasses import dataclass

import numpy as np

from studio.arrays import Floats
from studio.compare.statistics.ranks import average_ranks
from studio.errors import UsageError

MIN_FOR_F = 8
"""Of fewer blocks Iman and Davenport's p is too small: at 5 % it rejects in 7 to 8 % of null cases
of 3 to 5 blocks and four methods (docs/studies/honesty-comparisons.md). Friedman's own
does not."""


@dataclass(frozen=True)
class FriedmanTest:
    """Outcome of Friedman's test.

    Attributes:
        chi_square, p: Friedman's statistic (corrected for ties) and its p, k − 1 degrees of
            freedom.
        f, f_p: Iman and Davenport's statistic and its p, (k − 1) and (k − 1)(N − 1) degrees of
            freedom.
    """

    chi_square: float
    p: float
    f: float
    f_p: float


def friedman(errors: Floats) -> FriedmanTest:
    """Test whether all methods are equally good.

    Args:
        errors: Shape (N, k). N blocks, at least 2, and k methods, at least 2. Without any
            difference both p are 1.

    Raises:
        UsageError: If there are fewer blocks or methods.
    """
    n, k = errors.shape
    if n < 2 or k < 2:
        raise UsageError(
            "Friedman's test needs at least 2 blocks and 2 methods; {n} and {k} were given.",
            n=n,
            k=k,
        )
    from scipy.stats import chi2, f

    ranks = average_ranks(errors)
    # Equal to 12 N / (k (k + 1)) · [Σ R̄² − k (k + 1)² / 4] without ties, and corrected with them.
    spread = float(((ranks - (k + 1) / 2) ** 2).sum())
    if spread == 0:
        return FriedmanTest(0.0, 1.0, 0.0, 1.0)
    column_sums = ranks.sum(axis=0) - n * (k + 1) / 2
    chi_square = (k - 1) * float(np.sum(column_sums**2)) / spread
    left = n * (k - 1) - chi_square
    ratio = math.inf if left <= 1e-9 * n * k else (n - 1) * chi_square / left
    return FriedmanTest(
        chi_square=chi_square,
        p=float(chi2.sf(chi_square, k - 1)),
        f=ratio,
        f_p=float(f.sf(ratio, k - 1, (k - 1) * (n - 1))),
    )
