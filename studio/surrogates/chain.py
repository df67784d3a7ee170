"""The Markov chain over a Gaussian process' hyperparameters (thesis 2.4 and 5.5).

One sweep updates every length scale once, in random order, by slice sampling; then mean,
amplitude and noise, several times over. A length scale that only one block depends on refactorises
that block only; one that no observation depends on is drawn from its prior, which then is its
conditional. Mean, amplitude and noise move where all blocks are tridiagonal and a likelihood costs
O(n).
"""

import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from studio.surrogates import priors
from studio.surrogates.evidence import Block, Hyperparameters, along_length
from studio.surrogates.slice_sampling import slice_step
from studio.surrogates.tridiagonal import Tridiagonal

WIDTH = 8.0
"""Interval for a log length scale and the log amplitude: it covers most slices of their prior."""

NOISE_WIDTH = 12.0
"""Interval for the log noise, of which little may be known."""

SCALE_ROUNDS = 2
"""Updates of (mean, amplitude, noise) a sweep; each costs a tenth of the length scales'."""

LARGE = 60
"""Observations of the largest block from which a burn-in looks at fewer of them first."""

FEWEST = 20
"""Observations of a block that it looks at first; twice as many follow, and so on."""

EARLY, LATE = 0.35, 0.25
"""Sweeps that it then takes over fewer and over all, as shares of what it takes else."""

FIRST_NOISE = 1e-3
"""Noise variance at which a fresh chain starts, as in Snoek's code and EO's."""


def fresh_start(dimensions: int) -> Hyperparameters:
    """Return where a chain starts: the priors' medians, little noise, the targets' mean."""
    return Hyperparameters(0.0, 0.0, math.log(FIRST_NOISE), np.zeros(dimensions))


def sample_posterior(
    blocks: Sequence[Block],
    start: Hyperparameters,
    burn_in: int,
    samples: int,
    rng: np.random.Generator,
) -> list[Hyperparameters]:
    """Run a chain from ``start``; return the states after each of the last ``samples`` sweeps.

    Any state will do for a start. So where blocks are large the burn-in looks at a few observations
    of each first, then at more, and at all only in the end: those sweeps cost little, and lead to
    where a chain of all observations goes. It is then shorter, too (decision 36).

    Args:
        blocks: The observations; none: the chain samples the prior.
        start: The first state.
        burn_in, samples: Sweeps left out (fewer where blocks are large), sweeps kept.
    """
    few = _fewer(max((len(block.targets) for block in blocks), default=0))
    early, late = (int(EARLY * burn_in), math.ceil(LATE * burn_in)) if few else (0, burn_in)
    states = [start]
    for number, most in enumerate(few, start=1):
        thinned = [block.thinned(most) for block in blocks]
        sweeps = early * number // len(few) - early * (number - 1) // len(few)
        states += _sweeps(thinned, states[-1], sweeps, rng)
    states += _sweeps(blocks, states[-1], late + samples, rng)
    return states[1 + early + late :]


def _fewer(most: int) -> list[int]:
    """Return how many observations of a block are looked at first, where the largest has most."""
    few = []
    size = FEWEST
    while most >= LARGE and 2 * size < most:
        few.append(size)
        size *= 2
    return few


def _sweeps(
    blocks: Sequence[Block], theta: Hyperparameters, count: int, rng: np.random.Generator
) -> Iterator[Hyperparameters]:
    """Yield the state after each sweep, for a number of them."""
    owners = _owners(blocks, len(theta.log_lengths))
    tridiagonal = Tridiagonal(blocks)
    tridiagonal.update(theta.log_lengths)
    values = tridiagonal.block_likelihoods(theta)
    for _ in range(count):
        theta = _move_lengths(blocks, owners, values, theta, rng)
        tridiagonal.update(theta.log_lengths)
        for _ in range(SCALE_ROUNDS):
            theta = _move_scales(tridiagonal, theta, rng)
        values = tridiagonal.block_likelihoods(theta)
        yield theta


def _owners(blocks: Sequence[Block], dimensions: int) -> list[list[int]]:
    """Return for each length scale the blocks whose likelihood depends on it."""
    owners: list[list[int]] = [[] for _ in range(dimensions)]
    for number, block in enumerate(blocks):
        for dim in block.gram.dims:
            owners[dim].append(number)
    return owners


def _move_lengths(
    blocks: Sequence[Block],
    owners: list[list[int]],
    values: list[float],
    theta: Hyperparameters,
    rng: np.random.Generator,
) -> Hyperparameters:
    """Update every length scale once; ``values``, the blocks' likelihoods, are kept up to date."""
    log_lengths = theta.log_lengths.copy()
    theta = Hyperparameters(theta.mean, theta.log_amplitude, theta.log_noise, log_lengths)
    for dim in rng.permutation(len(log_lengths)).tolist():
        owned = owners[dim]
        if not owned:
            shortest, longest = priors.LOG_LENGTH
            log_lengths[dim] = min(max(rng.standard_normal(), shortest), longest)
            continue
        functions = [along_length(blocks[number], theta, dim) for number in owned]
        present = [values[number] for number in owned]
        conditional = _LengthConditional(functions, present)
        here = float(log_lengths[dim])
        log_lengths[dim], _ = slice_step(
            conditional,
            here,
            sum(present) + priors.log_normal(here),
            rng,
            width=WIDTH,
            support=priors.LOG_LENGTH,
        )
        for number, value in zip(owned, conditional.last, strict=True):
            values[number] = value
    return theta


class _LengthConditional:
    """The log conditional of a length scale, which remembers the last point's likelihoods."""

    def __init__(self, functions: list[Callable[[float], float]], last: list[float]) -> None:
        self._functions = functions
        self.last = last

    def __call__(self, x: float) -> float:
        self.last = [function(x) for function in self._functions]
        return sum(self.last) + priors.log_normal(x)


def _move_scales(
    tridiagonal: Tridiagonal, theta: Hyperparameters, rng: np.random.Generator
) -> Hyperparameters:
    """Update mean, amplitude and noise once each."""
    log_amplitude, log_noise = theta.log_amplitude, theta.log_noise
    mean = _move_mean(tridiagonal, theta, rng)
    residuals = tridiagonal.residuals(mean)

    def of_amplitude(x: float) -> float:
        return tridiagonal.log_likelihood(x, log_noise, residuals) + priors.log_normal(x)

    log_amplitude, height = slice_step(
        of_amplitude,
        log_amplitude,
        of_amplitude(log_amplitude),
        rng,
        width=WIDTH,
        support=priors.LOG_AMPLITUDE,
    )

    def of_noise(x: float) -> float:
        return tridiagonal.log_likelihood(log_amplitude, x, residuals) + priors.horseshoe(x)

    log_noise, _ = slice_step(
        of_noise,
        log_noise,
        height - priors.log_normal(log_amplitude) + priors.horseshoe(log_noise),
        rng,
        width=NOISE_WIDTH,
        support=priors.LOG_NOISE,
    )
    return Hyperparameters(mean, log_amplitude, log_noise, theta.log_lengths)


def _move_mean(tridiagonal: Tridiagonal, theta: Hyperparameters, rng: np.random.Generator) -> float:
    """Update the mean; its conditional is normal, so its slice is known without a search."""
    low, high = tridiagonal.mean_support
    if not low < high:
        return low
    precision, weighted = tridiagonal.mean_moments(theta.log_amplitude, theta.log_noise)
    if not precision > 0.0:
        return low
    centre = weighted / precision
    reach = math.sqrt((theta.mean - centre) ** 2 + 2.0 * rng.standard_exponential() / precision)
    low, high = max(low, centre - reach), min(high, centre + reach)
    return float(rng.uniform(low, high)) if low < high else theta.mean
