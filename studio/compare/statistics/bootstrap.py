"""Bootstrap intervals of means and of mean ranks, the same for the same seed."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from studio.arrays import Floats
from studio.seeds import derive

RESAMPLES = 4000
"""Bootstrap samples behind an interval: its ends move by well under a tenth of its width."""

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Interval:
    """A mean with its bootstrap interval.

    Attributes
    ----------
    mean, low, high : float
        ``low <= mean <= high`` but for the skew of very few values; infinite ends where nothing
        is known of the spread.
    """

    mean: float
    low: float
    high: float

    def overlaps(self, other: "Interval") -> bool:
        """Whether the two intervals have a value in common."""
        return self.low <= other.high and other.low <= self.high

    @property
    def undecided(self) -> bool:
        """Whether zero is inside: of a difference, that either may be the better one."""
        return self.low <= 0 <= self.high


def mean_interval(values: Floats, seed: int = 0) -> Interval:
    """Return the mean of values with its percentile interval.

    Parameters
    ----------
    values : array, shape (n,), n > 0
        One a repetition. One alone says nothing of its spread: then the ends are infinite.
    seed : int
        Of the resampling.
    """
    if len(values) == 1:
        return Interval(float(values[0]), -math.inf, math.inf)
    rng = np.random.default_rng(derive(seed, "mean"))
    chosen = rng.integers(len(values), size=(RESAMPLES, len(values)))
    return _interval(float(values.mean()), values[chosen].mean(axis=1))


def difference_interval(mine: Floats, theirs: Floats, seed: int = 0) -> Interval:
    """Return the mean paired difference ``mine − theirs`` with its interval; negative is better.

    Parameters
    ----------
    mine, theirs : arrays, shape (n,), n > 0
        Errors of two methods on the same repetitions.
    """
    return mean_interval(mine - theirs, seed)


def grouped_mean_intervals(groups: Sequence[Floats], seed: int = 0) -> list[Interval]:
    """Return intervals of means over data sets: these are resampled, and repetitions inside them.

    Parameters
    ----------
    groups : sequence of arrays, shape (n_repetitions, n_columns)
        One array a data set: the ranks (or errors) of all methods in its repetitions.
    seed : int
        Of the resampling.

    Returns
    -------
    list of Interval
        One a column; every data set has the same weight.
    """
    rng = np.random.default_rng(derive(seed, "groups"))
    mean = np.mean([group.mean(axis=0) for group in groups], axis=0)
    samples = np.zeros((RESAMPLES, len(mean)))
    for i in range(RESAMPLES):
        for which in rng.integers(len(groups), size=len(groups)):
            group = groups[which]
            samples[i] += group[rng.integers(len(group), size=len(group))].mean(axis=0)
    samples /= len(groups)
    return [_interval(float(mean[j]), samples[:, j]) for j in range(len(mean))]


def _interval(mean: float, samples: Floats) -> Interval:
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(samples, [tail, 1 - tail])
    return Interval(mean, float(low), float(high))
