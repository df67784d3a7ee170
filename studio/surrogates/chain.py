"""Markov chain over a Gaussian process' hyperparameters (thesis 2.4 and 5.5).

One sweep updates every length scale once, in random order, by slice sampling; then mean, amplitude
and noise, several times. Updating a length scale used by one block only refactorises that block; a
length scale without influence on any observation is drawn from its prior, which is then its
conditional. For mean, amplitude and noise all blocks are tridiagonal, so that a likelihood costs
O(n).

Slice sampling moves one coordinate within an interval around the state that only shrinks (Murray &
Adams 2010, algorithm 4; Snoek et al. 2012; Neal 2003 for the proof). The interval is positioned at
random and shrunk until a point of the slice is found. The density is invariant for any width, which
only affects the cost. The interval should cover most slices: Neal's stepping out is then
unnecessary, and other modes within it are reached.

All blocks' covariances are one tridiagonal matrix: for given length scales C = Q T Q' with Q
orthogonal and T tridiagonal (Householder; Golub & Van Loan 2013, 8.3.1), so K = a C + nu I = Q (a T
+ nu I) Q': for any mean, amplitude and noise, the likelihood of Q'y only requires the factors of a
tridiagonal matrix. This costs a fraction of an eigendecomposition. T has a zero between blocks, so
that a single matrix holds them all.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, pairwise

import numpy as np
from scipy.linalg.lapack import dormqr, dptsv, dsytrd

from studio.arrays import Floats
from studio.errors import SurrogateError
from studio.surrogates.evidence import (
    LOG_AMPLITUDE,
    LOG_LENGTH_SCALE_BOUNDS,
    LOG_NOISE,
    NUGGET,
    Block,
    Hyperparameters,
    horseshoe_log_density,
    log_normal_density,
    make_length_likelihood,
)


def slice_step(
    log_density: Callable[[float], float],
    x: float,
    height: float,
    rng: np.random.Generator,
    *,
    width: float,
    support: tuple[float, float],
) -> tuple[float, float]:
    """Move one coordinate to a new state of the Markov chain.

    Args:
        log_density: Up to a constant, within the support. The last point at which it is called is
            the point returned.
        x: The current state, within the support.
        height: ``log_density(x)``.
        width: Width of the interval; best above that of a typical slice.
        support: The interval outside which the density is zero.

    Returns:
        x, height: The new state and its log density.

    Raises:
        SurrogateError: If the density is NaN somewhere on the slice.
    """
    if math.isnan(height):
        raise SurrogateError("The density to be sampled is not a number at the chain's state.")
    level = height - rng.standard_exponential()
    first, upper = support
    low = x - width * rng.random()
    high = low + width
    low, high = max(low, first), min(high, upper)
    while True:
        proposal = low + (high - low) * rng.random()
        density = log_density(proposal)
        if density > level:
            return proposal, density
        if math.isnan(density):
            raise SurrogateError("The density to be sampled is not a number on its slice.")
        if proposal < x:
            low = proposal
        else:
            high = proposal
        if not low < high:
            # The slice has shrunk to the current state, which is always inside it.
            return x, log_density(x)


_PANEL_WIDTH = 32
"""Number of columns that LAPACK reduces at a time (its block size), which determines workspaces."""


class Tridiagonal:
    """The likelihood of all observations for the current length scales.

    Args:
        blocks: N observations in all, possibly none.

    Attributes:
        mean_support: The lowest and the highest target.
    """

    def __init__(self, blocks: Sequence[Block]) -> None:
        self._blocks = blocks
        self._reduced_lengths: list[Floats | None] = [None] * len(blocks)
        offsets = list(accumulate((len(block.targets) for block in blocks), initial=0))
        self._block_slices = [slice(first, end) for first, end in pairwise(offsets)]
        self._firsts = np.array(offsets[:-1], dtype=np.int64)
        targets = np.concatenate([np.empty(0), *(block.targets for block in blocks)])
        self.mean_support = (float(targets.min()), float(targets.max())) if blocks else (0.0, 0.0)
        self._columns = np.array([np.ones(offsets[-1]), targets]).T
        self._rotated_columns = self._columns.copy(order="K")
        self._diagonal = np.empty(offsets[-1])
        self._off_diagonal = np.zeros(max(1, offsets[-1] - 1))

    def update(self, log_length_scales: Floats) -> None:
        """Reduce the blocks whose length scales, in log_length_scales (D,), have changed."""
        for number, block in enumerate(self._blocks):
            block_lengths = log_length_scales.take(block.gram.dims)
            known_lengths = self._reduced_lengths[number]
            if known_lengths is None or not np.array_equal(known_lengths, block_lengths):
                self._reduced_lengths[number] = block_lengths
                self._reduce(number, log_length_scales)

    def _reduce(self, number: int, log_length_scales: Floats) -> None:
        block, rows = self._blocks[number], self._block_slices[number]
        size = len(block.targets)
        C = block.gram.packing.unpack_lower(block.gram.compute_packed(log_length_scales))
        C, diagonal, off_diagonal, tau, _ = dsytrd(
            C, lower=1, lwork=_PANEL_WIDTH * size, overwrite_a=1
        )
        self._diagonal[rows] = diagonal + NUGGET
        if size > 1:
            # Q does not change the first coordinate; its reflectors are below the first row.
            tail = slice(rows.start + 1, rows.stop)
            reflectors, lwork = C[1:, :-1], 2 * _PANEL_WIDTH * (_PANEL_WIDTH + 1)
            self._rotated_columns[tail] = dormqr(
                "L", "T", reflectors, tau, self._columns[tail], lwork
            )[0]
            self._off_diagonal[rows.start : rows.stop - 1] = off_diagonal

    def compute_residuals(self, mean: float) -> Floats:
        """Return Q'(y - m), shape (N, 1)."""
        ones_rotated, targets = self._rotated_columns.T
        residuals: Floats = targets - mean * ones_rotated
        return residuals[:, None]

    def log_likelihood(self, log_amplitude: float, log_noise: float, residuals: Floats) -> float:
        """Return the log likelihood up to a constant, given :meth:`compute_residuals`, (N, 1)."""
        if not len(residuals):
            return 0.0
        pivots, solution = self._solve(log_amplitude, log_noise, residuals)
        log_determinant = float(np.add.reduce(np.log(pivots))) + len(residuals) * log_amplitude
        return -0.5 * (log_determinant + float(residuals[:, 0].dot(solution[:, 0])))

    def compute_mean_moments(self, log_amplitude: float, log_noise: float) -> tuple[float, float]:
        """Return 1'K^-1 1 and 1'K^-1 y."""
        _, solution = self._solve(log_amplitude, log_noise, self._rotated_columns)
        ones_ones, ones_y = self._rotated_columns[:, 0] @ solution
        return float(ones_ones), float(ones_y)

    def compute_block_likelihoods(self, theta: Hyperparameters) -> list[float]:
        """Return the log likelihood of each block."""
        if not self._blocks:
            return []
        residuals = self.compute_residuals(theta.mean)
        pivots, solution = self._solve(theta.log_amplitude, theta.log_noise, residuals)
        terms = np.log(2.0 * math.pi * pivots) + theta.log_amplitude + (residuals * solution)[:, 0]
        return [float(sum_) for sum_ in -0.5 * np.add.reduceat(terms, self._firsts)]

    def _solve(
        self, log_amplitude: float, log_noise: float, columns: Floats
    ) -> tuple[Floats, Floats]:
        """Return the pivots of T + nu/a I, shape (N,), and K^-1 times the columns (in Q)."""
        shifted_diagonal = self._diagonal + math.exp(log_noise - log_amplitude)
        pivots, _, solution, _ = dptsv(shifted_diagonal, self._off_diagonal, columns, overwrite_d=1)
        solution *= math.exp(-log_amplitude)
        return pivots, solution


SLICE_WIDTH = 8.0
"""Interval for a log length scale and the log amplitude, covering most slices of their prior."""

NOISE_SLICE_WIDTH = 12.0
"""Interval for the log noise, which may be poorly determined."""

SCALE_ROUNDS = 2
"""Updates of (mean, amplitude, noise) per sweep; each costs a tenth of the length scales'."""

MIN_SUBSET_ROWS = 60
"""Minimum size of the largest block for a burn-in that starts with a subset."""

FIRST_SUBSET_ROWS = 20
"""Size of the first subset per block; it doubles in each stage."""

SUBSET_SWEEP_SHARE, FULL_SWEEP_SHARE = 0.35, 0.25
"""Numbers of burn-in sweeps on subsets and on all observations, as shares of the usual number."""

FIRST_NOISE = 1e-3
"""Initial noise variance of a new chain, as in Snoek's code and EO's."""


def make_initial_state(n_dimensions: int) -> Hyperparameters:
    """Return a chain's initial state: the priors' medians, little noise, the targets' mean."""
    return Hyperparameters(0.0, 0.0, math.log(FIRST_NOISE), np.zeros(n_dimensions))


def sample_posterior(
    blocks: Sequence[Block],
    start: Hyperparameters,
    burn_in: int,
    n_samples: int,
    rng: np.random.Generator,
) -> list[Hyperparameters]:
    """Run a chain from ``start``; return the states after each of the last ``n_samples`` sweeps.

    Any start is valid. For large blocks, the burn-in therefore uses a few observations of each at
    first, then more, and all of them only at the end: the early sweeps are cheap and approach the
    same region, so the burn-in is also shorter (decision 36).

    Args:
        burn_in, n_samples: Numbers of sweeps to discard (fewer if blocks are large) and to keep.
    """
    limits = _limit_observations(max((len(block.targets) for block in blocks), default=0))
    n_early, n_late = (
        (int(SUBSET_SWEEP_SHARE * burn_in), math.ceil(FULL_SWEEP_SHARE * burn_in))
        if limits
        else (0, burn_in)
    )
    states = [start]
    for number, max_observations in enumerate(limits, start=1):
        block_subsets = [block.select_representatives(max_observations) for block in blocks]
        sweeps = n_early * number // len(limits) - n_early * (number - 1) // len(limits)
        states += _run_sweeps(block_subsets, states[-1], sweeps, rng)
    states += _run_sweeps(blocks, states[-1], n_late + n_samples, rng)
    return states[1 + n_early + n_late :]


def _limit_observations(max_observations: int) -> list[int]:
    """Return increasing limits of the observations per block for the first sweeps."""
    limits = []
    size = FIRST_SUBSET_ROWS
    while max_observations >= MIN_SUBSET_ROWS and 2 * size < max_observations:
        limits.append(size)
        size *= 2
    return limits


def _run_sweeps(
    blocks: Sequence[Block], theta: Hyperparameters, count: int, rng: np.random.Generator
) -> Iterator[Hyperparameters]:
    """Yield the state of the chain after each of a number of sweeps."""
    owners = _find_owners(blocks, len(theta.log_length_scales))
    tridiagonal = Tridiagonal(blocks)
    tridiagonal.update(theta.log_length_scales)
    log_likelihoods = tridiagonal.compute_block_likelihoods(theta)
    for _ in range(count):
        theta = _update_length_scales(blocks, owners, log_likelihoods, theta, rng)
        tridiagonal.update(theta.log_length_scales)
        for _ in range(SCALE_ROUNDS):
            theta = _move_scales(tridiagonal, theta, rng)
        log_likelihoods = tridiagonal.compute_block_likelihoods(theta)
        yield theta


def _find_owners(blocks: Sequence[Block], n_dimensions: int) -> list[list[int]]:
    """Return, for each length scale, the blocks whose likelihood depends on it."""
    owners: list[list[int]] = [[] for _ in range(n_dimensions)]
    for number, block in enumerate(blocks):
        for dim in block.gram.dims:
            owners[dim].append(number)
    return owners


def _update_length_scales(
    blocks: Sequence[Block],
    owners: list[list[int]],
    log_likelihoods: list[float],
    theta: Hyperparameters,
    rng: np.random.Generator,
) -> Hyperparameters:
    """Update each length scale once, keeping ``values``, the blocks' likelihoods, up to date."""
    log_length_scales = theta.log_length_scales.copy()
    theta = Hyperparameters(theta.mean, theta.log_amplitude, theta.log_noise, log_length_scales)
    for dim in rng.permutation(len(log_length_scales)).tolist():
        block_owners = owners[dim]
        if not block_owners:
            lowest, highest = LOG_LENGTH_SCALE_BOUNDS
            log_length_scales[dim] = min(max(rng.standard_normal(), lowest), highest)
            continue
        functions = [make_length_likelihood(blocks[number], theta, dim) for number in block_owners]
        current_values = [log_likelihoods[number] for number in block_owners]
        conditional = _LengthConditional(functions, current_values)
        current = float(log_length_scales[dim])
        log_length_scales[dim], _ = slice_step(
            conditional,
            current,
            sum(current_values) + log_normal_density(current),
            rng,
            width=SLICE_WIDTH,
            support=LOG_LENGTH_SCALE_BOUNDS,
        )
        for number, value in zip(block_owners, conditional.last, strict=True):
            log_likelihoods[number] = value
    return theta


class _LengthConditional:
    """The log conditional of a length scale, caching the last point's likelihoods."""

    def __init__(self, functions: list[Callable[[float], float]], cache: list[float]) -> None:
        self._functions = functions
        self.last = cache

    def __call__(self, x: float) -> float:
        self.last = [function(x) for function in self._functions]
        return sum(self.last) + log_normal_density(x)


def _move_scales(
    tridiagonal: Tridiagonal, theta: Hyperparameters, rng: np.random.Generator
) -> Hyperparameters:
    """Update mean, amplitude and noise once each."""
    log_amplitude, log_noise = theta.log_amplitude, theta.log_noise
    mean = _move_mean(tridiagonal, theta, rng)
    residuals = tridiagonal.compute_residuals(mean)

    def log_amplitude_density(x: float) -> float:
        return tridiagonal.log_likelihood(x, log_noise, residuals) + log_normal_density(x)

    log_amplitude, height = slice_step(
        log_amplitude_density,
        log_amplitude,
        log_amplitude_density(log_amplitude),
        rng,
        width=SLICE_WIDTH,
        support=LOG_AMPLITUDE,
    )

    def log_noise_density(x: float) -> float:
        return tridiagonal.log_likelihood(log_amplitude, x, residuals) + horseshoe_log_density(x)

    log_noise, _ = slice_step(
        log_noise_density,
        log_noise,
        height - log_normal_density(log_amplitude) + horseshoe_log_density(log_noise),
        rng,
        width=NOISE_SLICE_WIDTH,
        support=LOG_NOISE,
    )
    return Hyperparameters(mean, log_amplitude, log_noise, theta.log_length_scales)


def _move_mean(tridiagonal: Tridiagonal, theta: Hyperparameters, rng: np.random.Generator) -> float:
    """Update the mean; its conditional is normal, so its slice needs no search."""
    low, high = tridiagonal.mean_support
    if not low < high:
        return low
    precision, weighted = tridiagonal.compute_mean_moments(theta.log_amplitude, theta.log_noise)
    if not precision > 0.0:
        return low
    conditional_mean = weighted / precision
    half_width = math.sqrt(
        (theta.mean - conditional_mean) ** 2 + 2.0 * rng.standard_exponential() / precision
    )
    low, high = max(low, conditional_mean - half_width), min(high, conditional_mean + half_width)
    return float(rng.uniform(low, high)) if low < high else theta.mean
