"""Random configurations, and all configurations of a small finite space."""

import math

import numpy as np

from studio.arrays import Floats
from studio.space.encoding import snap
from studio.space.space import Space


def sample(space: Space, rng: np.random.Generator, n: int) -> Floats:
    """Draw ``n`` configurations uniformly over the tree, as unit rows (n, D), NaN inactive.

    Every choice is uniform, then its children; ranges uniform on their scale.
    Drawing all coordinates and dropping the inactive ones is the same distribution.
    """
    return snap(space, rng.random((n, space.dimensions)))


def enumerate_all(space: Space, limit: int = 10_000) -> Floats | None:
    """Return all configurations of a finite space as unit rows (n, D); ``None`` beyond ``limit``.

    The order is that of the space's hyperparameters, the first one varying slowest.
    """
    if space.size() > limit:
        return None
    compiled = space.compiled
    X = np.full((1, space.dimensions), np.nan)
    for place in space.structure.order:
        column = compiled.column_of.get(place)
        if column is None:
            continue
        # Parents come first, so the activity of this one is settled already.
        filled = np.where(np.isnan(X), compiled.default_numbers, X)
        active = compiled.activity(compiled.states(filled))[:, place]
        count = int(compiled.scales.high[column] - compiled.scales.low[column]) + 1
        if not active.any():
            continue
        assert math.isfinite(count), "a finite space has no active continuous hyperparameter"
        times = np.where(active, count, 1)
        first = np.cumsum(times) - times
        X = np.repeat(X, times, axis=0)
        step = np.arange(len(X)) - np.repeat(first, times)
        values = np.where(np.repeat(active, times), compiled.scales.low[column] + step, np.nan)
        X[:, column] = values
    units = compiled.scales.units(np.where(np.isnan(X), compiled.default_numbers, X))
    return np.where(np.isnan(X), np.nan, units)
