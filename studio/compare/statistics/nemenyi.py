"""Nemenyi's critical difference of mean ranks, and which methods it leaves together."""

import math

import numpy as np

from studio.arrays import Floats
from studio.errors import UsageError


def critical_difference(n_methods: int, n_blocks: int, alpha: float = 0.05) -> float:
    """Return the difference of mean ranks above which two methods differ.

    ``q_α · √(k (k + 1) / (6 N))``, with q_α the quantile of the studentised range for infinite
    degrees of freedom over √2 (Demšar 2006).

    Args:
        n_methods: k, at least 2.
        n_blocks: N, at least 1.
        alpha: Level in (0, 1) over all pairs together.

    Raises:
        UsageError: If a number is out of its range.
    """
    if n_methods < 2 or n_blocks < 1 or not 0 < alpha < 1:
        raise UsageError(
            "A critical difference needs at least 2 methods, 1 block and a level between 0 "
            "and 1; {n_methods}, {n_blocks} and {alpha:g} were given.",
            n_methods=n_methods,
            n_blocks=n_blocks,
            alpha=alpha,
        )
    from scipy.stats import studentized_range

    quantile = float(studentized_range.ppf(1 - alpha, n_methods, math.inf)) / math.sqrt(2)
    return quantile * math.sqrt(n_methods * (n_methods + 1) / (6 * n_blocks))


def groups(mean_ranks: Floats, difference: float) -> list[tuple[int, ...]]:
    """Return the bars of a critical-difference diagram.

    Args:
        mean_ranks: Shape (n_methods,). The methods' mean ranks.
        difference: The critical difference.

    Returns:
        Methods, best first, whose mean ranks lie within the difference of each other; only groups
        of two or more that are no part of a larger one.
    """
    order = [int(i) for i in np.argsort(mean_ranks, kind="stable")]
    found: list[tuple[int, ...]] = []
    reached = 0
    for first, method in enumerate(order):
        end = first
        while end < len(order) and mean_ranks[order[end]] - mean_ranks[method] <= difference:
            end += 1
        if end - first >= 2 and end > reached:
            found.append(tuple(order[first:end]))
            reached = end
    return found
