"""Hyperparameters of maximum marginal likelihood (SMBEO 2)."""

import math
from collections.abc import Sequence

import numpy as np

from studio.arrays import Floats
from studio.surrogates import priors
from studio.surrogates.evidence import Block, Hyperparameters, best_mean_evidence

LOG_LENGTH = (-6.0, 5.0)
"""Bounds of log l_d: outside, a coordinate of the unit cube is pure noise, or has no effect."""

MAX_ITERATIONS = 100


def maximise_evidence(
    blocks: Sequence[Block], start: Hyperparameters, starts: int, rng: np.random.Generator
) -> Hyperparameters:
    """Maximise the log marginal likelihood by L-BFGS with gradients from several starts.

    The mean is at its maximum for every setting of the others. Length scales on which no
    observation depends stay where they are, and so does everything when all targets are equal
    (the likelihood then has no maximum).

    Args:
        blocks: The observations.
        start: The first start.
        starts: How many in all; the others are drawn from the priors (noise: log-normal(0, 1) /
            1000).
    """
    # scipy.optimize takes a while to import, and slice sampling does without it.
    from scipy.optimize import minimize

    targets = np.concatenate([block.targets for block in blocks]) if blocks else np.zeros(0)
    if len(np.unique(targets)) < 2:
        return start
    dims = sorted({dim for block in blocks for dim in block.gram.dims})
    own = list(blocks)
    fixed = start.log_lengths

    def lengths(x: Floats) -> Floats:
        log_lengths = fixed.copy()
        log_lengths[dims] = x[2:]
        return log_lengths

    def loss(x: Floats) -> tuple[float, Floats]:
        value, _, gradient = best_mean_evidence(own, x[0], x[1], lengths(x))
        if not math.isfinite(value):
            return math.inf, np.zeros(len(x))
        return -value, -np.concatenate([gradient[:2], gradient[2:][dims]])

    bounds = [priors.LOG_AMPLITUDE, priors.LOG_NOISE] + [LOG_LENGTH] * len(dims)
    first = np.array([start.log_amplitude, start.log_noise, *fixed[dims]])
    best, lowest = first, math.inf
    for number in range(starts):
        drawn = rng.standard_normal(len(first)) + np.array(
            [0.0, start.log_noise, *(0 * fixed[dims])]
        )
        found = minimize(
            loss,
            drawn if number else first,
            jac=True,
            method="L-BFGS-B",
            bounds=bounds,
            options={"maxiter": MAX_ITERATIONS},
        )
        if found.fun < lowest:
            best, lowest = found.x, float(found.fun)
    _, mean, _ = best_mean_evidence(own, best[0], best[1], lengths(best))
    return Hyperparameters(mean, float(best[0]), float(best[1]), lengths(best))
