"""DivBO's acquisition: the sum of two ranks, for performance and for diversity (DivBO 3.2)."""

import math

import numpy as np

from studio.arrays import Floats


def saturating_weight(t: float, beta: float = 0.05, tau: float = 0.2) -> float:
    """Return w = beta (sigmoid(tau t) − 1/2), the weight of diversity at iteration t (eq. 5).

    It is 0 at t = 0 and grows towards beta / 2 (the text's range [0, beta) is a slip).
    """
    # sigmoid(x) − 1/2 = tanh(x / 2) / 2, which no t can overflow.
    return 0.5 * beta * math.tanh(0.5 * tau * t)


def least_diversity(mean: Floats, variance: Floats, draws: int, rng: np.random.Generator) -> Floats:
    """Return alpha_div: each candidate's expected diversity from the most similar of the pool.

    alpha_div(x) = (1/N) Σ_n min_θ M_n(θ, x), M_n(θ, x) ~ N(mean, variance), all independent
    (eq. 4).

    Args:
        mean, variance: Shape (q, p). The diversity surrogate's predictions for q candidates and the
            p members of the pool.
        draws: N, at least 1.
        rng: Draws from the normal distributions.

    Returns:
        Shape (q,).
    """
    deviation = np.sqrt(variance)
    total: Floats = np.zeros(len(mean))
    for _ in range(draws):
        total += (mean + deviation * rng.standard_normal(mean.shape)).min(axis=1)
    return total / draws


def ranks(values: Floats) -> Floats:
    """Return ranks, shape (n,): 1 for the largest value, n for the smallest, equal ones averaged.

    The expected improvement of a forest is equal in all configurations that share their leaves;
    averaging keeps the sum of ranks the same however many these are.
    """
    _, place, counts = np.unique(-values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    averaged: Floats = (last - 0.5 * (counts - 1))[place]
    return averaged


def rank_sum(performance: Floats, diversity: Floats, weight: float) -> Floats:
    """Return alpha = R_perf + w R_div of each candidate, lowest is best (eq. 5).

    With n candidates the second term differs by at most w (n − 1), so only candidates whose R_perf
    is that close to the lowest can be chosen: 125 of 5,000, and those that tie with them. But
    R_div counts all candidates, chosen or not: none can be left out of the diversity surrogate's
    predictions without changing the ranks of the others.

    Args:
        performance, diversity: Shape (n,). Acquisition values, higher is better.
        weight: w, at least 0.

    Returns:
        Shape (n,).
    """
    return ranks(performance) + weight * ranks(diversity)
