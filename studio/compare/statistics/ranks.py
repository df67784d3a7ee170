"""Ranks and wins of methods (SMBEO 6.2; thesis 3.3), and tests of mean ranks (Demšar 2006)."""

import math
from dataclasses import dataclass

import numpy as np

from studio.arrays import Floats, Integers


def compute_average_ranks(errors: Floats) -> Floats:
    """Return each method's rank in each block, with mean ranks for ties.

    Args:
        errors: Shape (n_blocks, n_methods). Lower is better; infinite for a method without a result
            yet.

    Returns:
        Shape (n_blocks, n_methods). From 1 (best) to n_methods; every row sums to n_methods ·
        (n_methods + 1) / 2.
    """
    from scipy.stats import rankdata

    ranks: Floats = rankdata(errors, axis=1)
    return ranks


def compute_winning_frequency(errors: Floats) -> Floats:
    """Return the share of blocks in which method i beats j, (n_methods, n_methods); ties half."""
    first, second = errors[:, :, None], errors[:, None, :]
    frequency: Floats = ((first < second) + 0.5 * (first == second)).mean(axis=0)
    return frequency


def compute_win_rate(mean_rank: Floats, n_methods: int) -> Floats:
    """Return the share of the other methods beaten at these ranks, any shape; ½ without others.

    ``(m − rank) / (m − 1)``: with ties counting ½, this is the mean of its row of
    :func:`compute_winning_frequency` without the diagonal. (The thesis, eq. 3.11, counts a method
    against itself, and prints the complement.)
    """
    if n_methods < 2:
        return np.full_like(mean_rank, 0.5)
    rate: Floats = (n_methods - mean_rank) / (n_methods - 1)
    return rate


def count_wins_and_losses(errors: Floats) -> tuple[Integers, Integers]:
    """Return the numbers of blocks in which method i beats, and is beaten by, method j.

    Errors have shape (n_blocks, n_methods).

    Returns:
        wins, losses: Shape (n_methods, n_methods). Ties count as neither; net wins are ``wins −
            losses``.
    """
    first, second = errors[:, :, None], errors[:, None, :]
    wins: Integers = (first < second).sum(axis=0)
    return wins, wins.T


MIN_BLOCKS = 3
"""Minimum number of blocks for a test of mean ranks: two rankings that agree are not evidence."""

MIN_BLOCKS_FOR_F = 8
"""Minimum number of blocks for Iman and Davenport's p: with 3 to 5 blocks and four methods it
rejects 7 to 8 % of null cases at 5 % (docs/studies/honesty-comparisons.md). Friedman's p does not.
"""


@dataclass(frozen=True)
class FriedmanTest:
    """Outcome of Friedman's test.

    Attributes:
        chi_square, p: Friedman's statistic (corrected for ties) and its p-value, k − 1 degrees of
            freedom.
        f, f_p: Iman and Davenport's statistic and its p-value, (k − 1) and (k − 1)(N − 1) degrees
            of freedom.
    """

    chi_square: float
    p: float
    f: float
    f_p: float


def run_friedman_test(errors: Floats) -> FriedmanTest:
    """Test whether all methods are equally good.

    Args:
        errors: Shape (N, k). N blocks, at least 2, and k methods, at least 2. Without any
            difference, both p-values are 1.
    """
    from scipy.stats import chi2, f

    n, k = errors.shape
    ranks = compute_average_ranks(errors)
    # Equal to 12 N / (k (k + 1)) · [Σ R̄² − k (k + 1)² / 4] without ties, and corrected for ties.
    squared_deviations = float(((ranks - (k + 1) / 2) ** 2).sum())
    if squared_deviations == 0:
        return FriedmanTest(0.0, 1.0, 0.0, 1.0)
    column_sums = ranks.sum(axis=0) - n * (k + 1) / 2
    chi_square = (k - 1) * float(np.sum(column_sums**2)) / squared_deviations
    denominator = n * (k - 1) - chi_square
    ratio = math.inf if denominator <= 1e-9 * n * k else (n - 1) * chi_square / denominator
    return FriedmanTest(
        chi_square=chi_square,
        p=float(chi2.sf(chi_square, k - 1)),
        f=ratio,
        f_p=float(f.sf(ratio, k - 1, (k - 1) * (n - 1))),
    )


def compute_critical_difference(n_methods: int, n_blocks: int, alpha: float = 0.05) -> float:
    """Return the difference of mean ranks above which two methods differ.

    ``q_α · √(k (k + 1) / (6 N))``, with q_α the quantile of the studentised range for infinite
    degrees of freedom over √2 (Demšar 2006).

    Args:
        n_methods: k, at least 2.
        n_blocks: N, at least 1.
        alpha: Level in (0, 1) over all pairs together.
    """
    from scipy.stats import studentized_range

    quantile = float(studentized_range.ppf(1 - alpha, n_methods, math.inf)) / math.sqrt(2)
    return quantile * math.sqrt(n_methods * (n_methods + 1) / (6 * n_blocks))


def find_groups(mean_ranks: Floats, difference: float) -> list[tuple[int, ...]]:
    """Return the bars of a critical-difference diagram.

    Args:
        mean_ranks: Shape (n_methods,). The methods' mean ranks.

    Returns:
        Methods, best first, whose mean ranks lie within the difference of each other; only groups
        of two or more that are not part of a larger one.
    """
    order = [int(i) for i in np.argsort(mean_ranks, kind="stable")]
    bars: list[tuple[int, ...]] = []
    last_end = 0
    for first, method in enumerate(order):
        end = first
        while end < len(order) and mean_ranks[order[end]] - mean_ranks[method] <= difference:
            end += 1
        if end - first >= 2 and end > last_end:
            bars.append(tuple(order[first:end]))
            last_end = end
    return bars
