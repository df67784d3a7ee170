"""Marginal likelihood of the observations, in blocks (thesis eq. 2.16, 5.10-5.11).

y ~ N(m 1, K), K = a (C + NUGGET I) + nu I, with C the kernel's correlations. Rows are sorted by
the kernel's groups, between which K is zero, so the log likelihood is a sum over blocks.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from studio.arrays import Flags, Floats, Integers
from studio.surrogates.kernels.base import (
    Gram,
    Kernel,
    PackedTriangle,
    compute_half_log_determinant,
    solve_packed,
    whiten,
)

LOG_LENGTH_SCALE_BOUNDS = (-8.0, 8.0)
"""Support of log l_d: eight standard deviations of its prior in each direction."""

LOG_AMPLITUDE = (-8.0, 8.0)
"""Support of log sigma_a^2."""

LOG_NOISE = (math.log(1e-10), math.log(1e4))
"""Support of log nu: below 1e-10 of the targets' variance the noise is negligible."""

NOISE_SCALE = 1.0
"""Scale of the horseshoe prior on the noise variance (thesis 5.5)."""


def log_normal_density(x: float) -> float:
    """Return the log density, up to a constant, of x = log l_d or x = log sigma_a^2."""
    return -0.5 * x * x


def horseshoe_log_density(x: float) -> float:
    """Return the log density, up to a constant, of x = log nu."""
    return math.log(math.log1p(NOISE_SCALE**2 * math.exp(-2.0 * x))) + x


NUGGET = 1e-6
"""Minimum observation noise as a share of the amplitude, to allow for repeated inputs."""

_LOG_2PI = math.log(2.0 * math.pi)


@dataclass(frozen=True)
class Hyperparameters:
    """One setting theta = (m, sigma_a^2, nu, l) of the process, for standardised targets.

    Attributes:
        mean: The constant mean m.
        log_amplitude: log sigma_a^2.
        log_noise: log nu.
        log_length_scales: Shape (D,). log l_d.
    """

    mean: float
    log_amplitude: float
    log_noise: float
    log_length_scales: Floats

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

    Attributes:
        group: The kernel's name for the group.
        X: Shape (n, D). The observations' complete rows.
        targets: Shape (n,). Standardised targets.
    """

    kernel: Kernel
    group: int
    X: Floats
    targets: Floats

    @cached_property
    def gram(self) -> Gram:
        """The correlations of the observations, computed on first use (D n^2 numbers)."""
        return self.kernel.make_gram(self.X)

    def select_representatives(self, max_observations: int) -> "Block":
        """Return a block of at most ``max_observations`` observations, possibly this one."""
        if len(self.targets) <= max_observations:
            return self
        indices = select_representatives(self.X, self.targets, max_observations)
        return Block(self.kernel, self.group, self.X[indices], self.targets[indices])


def make_blocks(kernel: Kernel, X: Floats, groups: Integers, targets: Floats) -> list[Block]:
    """Split observations X (n, D) and targets (n,) into blocks by group (n,), ascending."""
    blocks = []
    for group in np.unique(groups).tolist():
        rows = np.flatnonzero(groups == group)
        blocks.append(Block(kernel, group, X[rows], targets[rows]))
    return blocks


def log_likelihood(
    packing: PackedTriangle, amplitude: float, noise: float, residuals: Floats
) -> Callable[[Floats], float]:
    """Return log N(residuals; 0, amplitude C + noise I) as a function of C, shape (n, n) packed.

    It returns -inf if the covariance is not positive definite.

    Args:
        packing: Of C; the function takes the packed triangle of C, shape (n (n + 1) / 2,),
            ignores its diagonal, and overwrites it.
        amplitude, noise: Variances; ``noise`` includes the nugget.
        residuals: Shape (n,).
    """
    # C + noise / amplitude I is factorised, which saves multiplying C by the amplitude.
    diagonal = 1.0 + noise / amplitude
    column = residuals / math.sqrt(amplitude)
    constant = -0.5 * len(residuals) * (_LOG_2PI + math.log(amplitude))

    def compute_value(correlations: Floats) -> float:
        correlations[packing.diagonal] = diagonal
        factor = packing.factorise(correlations)
        if factor is None:
            return -math.inf
        white = whiten(factor, column)
        return constant - compute_half_log_determinant(factor) - 0.5 * float(white.dot(white))

    return compute_value


def make_length_likelihood(
    block: Block, theta: Hyperparameters, dim: int
) -> Callable[[float], float]:
    """Return the block's log likelihood as a function of dimension ``dim``'s log length scale."""
    correlations = block.gram.make_slice(theta.log_length_scales, dim)
    value = _make_likelihood(block, theta)
    return lambda x: value(correlations(x))


def compute_log_evidence(blocks: Sequence[Block], theta: Hyperparameters) -> float:
    """Return the log marginal likelihood of all blocks (thesis eq. 2.16)."""
    return sum(
        _make_likelihood(block, theta)(block.gram.compute_packed(theta.log_length_scales))
        for block in blocks
    )


def _make_likelihood(block: Block, theta: Hyperparameters) -> Callable[[Floats], float]:
    """Return the log likelihood as a function of packed correlations, shape (n (n + 1) / 2,)."""
    return log_likelihood(
        block.gram.packing, theta.amplitude, theta.observation_noise, block.targets - theta.mean
    )


def maximise_over_mean(
    blocks: Sequence[Block], log_amplitude: float, log_noise: float, log_length_scales: Floats
) -> tuple[float, float, Floats]:
    """Return the log marginal likelihood at its maximum over m, the maximiser m, and the gradient.

    The gradient is in (log amplitude, log noise, log length scales), shape (2 + D,); maximising
    over m does not change it (envelope theorem). R&W 2006, eq. 5.9.
    """
    theta = Hyperparameters(0.0, log_amplitude, log_noise, log_length_scales)
    factors, correlations = [], []
    ones_ones = ones_y = 0.0
    for block in blocks:
        packing = block.gram.packing
        correlations.append(block.gram.compute_packed(log_length_scales))
        K = theta.amplitude * correlations[-1]
        K[packing.diagonal] += theta.observation_noise
        factor = packing.factorise(K)
        if factor is None:
            return -math.inf, 0.0, np.zeros(2 + len(log_length_scales))
        factors.append(factor)
        weighted = solve_packed(factor, np.ones(packing.size))
        ones_ones += float(weighted.sum())
        ones_y += float(weighted @ block.targets)
    mean = ones_y / ones_ones if blocks else 0.0
    value, gradient = 0.0, np.zeros(2 + len(log_length_scales))
    for block, factor, C in zip(blocks, factors, correlations, strict=True):
        packing = block.gram.packing
        residuals = block.targets - mean
        alpha = solve_packed(factor, residuals)
        value -= 0.5 * float(residuals @ alpha) + compute_half_log_determinant(factor)
        value -= 0.5 * packing.size * _LOG_2PI
        # The factor is no longer needed, and is overwritten by d value / d K.
        likelihood_gradient = packing.invert(factor)
        np.subtract(
            alpha[packing.rows] * alpha[packing.columns],
            likelihood_gradient,
            out=likelihood_gradient,
        )
        likelihood_gradient *= 0.5
        trace = float(likelihood_gradient[packing.diagonal].sum())
        gradient[0] += theta.amplitude * (
            packing.sum_packed(likelihood_gradient * C) + NUGGET * trace
        )
        gradient[1] += math.exp(log_noise) * trace
        gradient[2:] += block.gram.compute_log_length_gradients(
            log_length_scales, theta.amplitude * likelihood_gradient
        )
    return value, mean, gradient


def select_representatives(X: Floats, targets: Floats, max_observations: int) -> Integers:
    """Return a representative subset of rows: the best half, and distant ones of the others.

    The best rows are needed to distinguish an optimum from its neighbours. The others are added one
    at a time, each the row furthest (Euclidean) from all rows selected so far, so that no explored
    region of the space appears unknown (Gonzalez 1985). The selection is deterministic, with ties
    broken by order, and costs ``max_observations`` * n * D.

    Args:
        X: Shape (n, D). Complete rows (no NaN).
        targets: Shape (n,). Lower is better.
        max_observations: At least 1.

    Returns:
        Shape (min(n, max_observations),). Row numbers, ascending.
    """
    size = len(targets)
    if size <= max_observations:
        return np.arange(size)
    selected_rows: Flags = np.zeros(size, dtype=bool)
    best = np.argsort(targets, kind="stable")[: (max_observations + 1) // 2]
    selected_rows[best] = True
    nearest = np.full(size, np.inf)
    for row in best.tolist():
        _update_nearest(nearest, X, row)
    for _ in range(max_observations - len(best)):
        # Selected rows are at distance 0, and -1 ranks a repeated input after them.
        row = int(np.where(selected_rows, -1.0, nearest).argmax())
        selected_rows[row] = True
        _update_nearest(nearest, X, row)
    return np.flatnonzero(selected_rows)


def _update_nearest(nearest: Floats, X: Floats, row: int) -> None:
    """Update the squared distances, (n,), to the selected rows with those to a row of X, (n, D)."""
    difference = X - X[row]
    np.minimum(nearest, np.einsum("nd,nd->n", difference, difference), out=nearest)
