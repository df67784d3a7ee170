"""Median and interquartile range."""

from dataclasses import dataclass

import numpy as np

from studio.arrays import Floats


@dataclass(frozen=True)
class Spread:
    """Where the middle half of some values lies.

    Attributes
    ----------
    median : float
        The middle value.
    lower, upper : float
        The quartiles, by linear interpolation.
    """

    median: float
    lower: float
    upper: float


def spread(values: Floats) -> Spread:
    """Return the median and the quartiles of values, shape (n,), n > 0."""
    lower, median, upper = np.quantile(values, [0.25, 0.5, 0.75])
    return Spread(float(median), float(lower), float(upper))
