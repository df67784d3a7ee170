"""Slice sampling of one coordinate: an interval about the state that only shrinks.

Used for the posterior of a Gaussian process' hyperparameters (Murray & Adams 2010, algorithm 4;
Snoek et al. 2012; Neal 2003 for the proof). The interval lies at random about the state and is
shrunk until a point of the slice is found. It leaves the density invariant for any width; the width
only decides the cost. It should cover most slices: what Neal's stepping out would find by looking
at the density beyond both ends is then had for nothing, and further modes within it are reached.
"""

import math
from collections.abc import Callable

import numpy as np

from studio.errors import SurrogateError


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
        log_density: The log density up to a constant, within the support. The last point at which
            it is called is the one returned.
        x: The present state, within the support.
        height: ``log_density(x)``.
        width: Of the interval; more than that of a typical slice is best.
        support: The ends of the interval outside which the density is zero.

    Returns:
        x, height: The new state and its log density.

    Raises:
        SurrogateError: If the density is not a number somewhere on the slice.
    """
    if math.isnan(height):
        raise SurrogateError("The density to be sampled is not a number at the chain's state.")
    level = height - rng.standard_exponential()
    first, last = support
    low = x - width * rng.random()
    high = low + width
    low, high = max(low, first), min(high, last)
    while True:
        proposed = low + (high - low) * rng.random()
        found = log_density(proposed)
        if found > level:
            return proposed, found
        if math.isnan(found):
            raise SurrogateError("The density to be sampled is not a number on its slice.")
        if proposed < x:
            low = proposed
        else:
            high = proposed
        if not low < high:
            # The slice has shrunk to the present state, which always lies on it.
            return x, log_density(x)
