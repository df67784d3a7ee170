"""The marginal likelihood of the observations, a block at a time (thesis eq. 2.16, 5.10-5.11).

y ~ N(m 1, K), K = a (C + NUGGET I) + nu I, with C the kernel's correlations. Rows are sorted by
the kernel's groups, between which K is zero, so the log likelihood is a sum over blocks.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs, dtrtrs

from studio.arrays import Floats, Integers
from studio.surrogates.kernels.base import Gram, Kernel
from studio.surrogates.thinning import representatives

NUGGET = 1e-6
"""Observation noise that is always there, as a share of the amplitude: repeated inputs work."""

_LOG_2PI = math.log(2.0 * math.pi)


@dataclass(frozen=True)
class Hyperparameters:
    """One setting theta = (m, sigma_a^2, nu, l) of the process, for standardised targets.

    Attributes
    ----------
    mean : float
        The constant mean m.
    log_amplitude : float
        log sigma_a^2.
    log_noise : float
        log nu.
    log_lengths : array, shape (D,)
        log l_d.
    """

    mean: float
    log_amplitude: float
    log_noise: float
    log_lengths: Floats

    @property
    def amplitude(self) -> float:
        """The prior variance sigma_a^2 of the objective."""
        return math.exp(self.log_amplitude)

    @property
    def observation_noise(self) -> float:
        """The variance nu + NUGGET sigma_a^2 of an observation about the objective."""
        return math.exp(self.log_noise) + NUGGET * self.amplitude


@dataclass(frozen=True)
class Block:
    """The observations of one group.

    Attributes
    ----------
    kernel : Kernel
        What compares them.
    group : int
        The kernel's name for the group.
    X : array, shape (n, D)
        Their complete rows.
    targets : array, shape (n,)
        Standardised targets.
    """

    kernel: Kernel
    group: int
    X: Floats
    targets: Floats

    @cached_property
    def gram(self) -> Gram:
        """Their correlations; made when first asked for, since it takes D n^2 numbers."""
        return self.kernel.gram(self.X)

    def thinned(self, most: int) -> "Block":
        """Return the block with at most so many observations (itself if it has no more)."""
        if len(self.targets) <= most:
            return self
        kept = representatives(self.X, self.targets, most)
        return Block(self.kernel, self.group, self.X[kept], self.targets[kept])


def make_blocks(kernel: Kernel, X: Floats, groups: Integers, targets: Floats) -> list[Block]:
    """Sort observations by group; the groups ascend."""
    blocks = []
    for group in np.unique(groups).tolist():
        rows = np.flatnonzero(groups == group)
        blocks.append(Block(kernel, group, X[rows], targets[rows]))
    return blocks


def log_likelihood(
    correlations: Floats, amplitude: float, noise: float, residuals: Floats
) -> float:
    """Return log N(residuals; 0, amplitude C + noise I); -inf if that is not positive definite.

    Parameters
    ----------
    correlations : array, shape (n, n)
        C, symmetric; it is overwritten.
    amplitude, noise : float
        Variances; ``noise`` includes the nugget.
    residuals : array, shape (n,)
    """
    size = len(residuals)
    correlations *= amplitude
    correlations.ravel()[:: size + 1] += noise
    # The transpose of a C-ordered symmetric matrix is Fortran-ordered: LAPACK works in place.
    factor, failed = dpotrf(correlations.T, lower=1, clean=0, overwrite_a=1)
    if failed:
        return -math.inf
    solved, _ = dtrtrs(factor, residuals, lower=1)
    half_log_det = float(np.log(factor.diagonal()).sum())
    return -0.5 * float(solved @ solved) - half_log_det - 0.5 * size * _LOG_2PI


def along_length(block: Block, theta: Hyperparameters, dim: int) -> Callable[[float], float]:
    """Return the block's log likelihood as a function of one log length scale."""
    correlations = block.gram.along(theta.log_lengths, dim)
    amplitude, noise = theta.amplitude, theta.observation_noise
    residuals = block.targets - theta.mean
    return lambda x: log_likelihood(correlations(x), amplitude, noise, residuals)


def evidence(blocks: list[Block], theta: Hyperparameters) -> float:
    """Return the log marginal likelihood of all blocks (thesis eq. 2.16)."""
    return sum(
        log_likelihood(
            block.gram.matrix(theta.log_lengths),
            theta.amplitude,
            theta.observation_noise,
            block.targets - theta.mean,
        )
        for block in blocks
    )


def best_mean_evidence(
    blocks: list[Block], log_amplitude: float, log_noise: float, log_lengths: Floats
) -> tuple[float, float, Floats]:
    """Return the log marginal likelihood at its maximum over m, that m, and its gradient.

    The gradient is in (log amplitude, log noise, log lengths), shape (2 + D,); that m is at its
    maximum changes nothing in it (envelope theorem). R&W 2006, eq. 5.9.
    """
    theta = Hyperparameters(0.0, log_amplitude, log_noise, log_lengths)
    factors, matrices = [], []
    ones_ones = ones_y = 0.0
    for block in blocks:
        size = len(block.targets)
        correlations = block.gram.matrix(log_lengths)
        matrices.append(correlations)
        K = theta.amplitude * correlations
        K.ravel()[:: size + 1] += theta.observation_noise
        factor, failed = dpotrf(K.T, lower=1, clean=1, overwrite_a=1)
        if failed:
            return -math.inf, 0.0, np.zeros(2 + len(log_lengths))
        factors.append(factor)
        weighted, _ = dpotrs(factor, np.ones(size), lower=1)
        ones_ones += float(weighted.sum())
        ones_y += float(weighted @ block.targets)
    mean = ones_y / ones_ones if blocks else 0.0
    value, gradient = 0.0, np.zeros(2 + len(log_lengths))
    for block, factor, correlations in zip(blocks, factors, matrices, strict=True):
        size = len(block.targets)
        residuals = block.targets - mean
        alpha, _ = dpotrs(factor, residuals, lower=1)
        inverse, _ = dpotrs(factor, np.eye(size), lower=1)
        half_log_det = float(np.log(factor.diagonal()).sum())
        value -= 0.5 * float(residuals @ alpha) + half_log_det + 0.5 * size * _LOG_2PI
        pull = 0.5 * (np.outer(alpha, alpha) - inverse)
        trace = float(np.trace(pull))
        gradient[0] += theta.amplitude * (float((pull * correlations).sum()) + NUGGET * trace)
        gradient[1] += math.exp(log_noise) * trace
        gradient[2:] += block.gram.slopes(log_lengths, theta.amplitude * pull)
    return value, mean, gradient
