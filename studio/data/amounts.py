"""Detection of non-negative numeric targets: amounts and counts."""

import numpy as np

from studio.arrays import Floats

MIN_SKEWNESS = 1.0
"""Skewness from which a logarithm is worth trying; that of an exponential distribution is 2."""

SMALL_AMOUNT_SHARE = 0.05
"""Share of the positive amounts below the unit of the logarithm."""


def are_amounts(y: Floats) -> bool:
    """Return whether no value of y, shape (n,), is negative."""
    return bool((y >= 0).all())


def are_skewed(y: Floats) -> bool:
    """Return whether amounts y, shape (n,), have a long right tail."""
    deviations = y - y.mean()
    return bool((deviations**3).mean() > MIN_SKEWNESS * y.std() ** 3)


def compute_log_unit(y: Floats) -> float:
    """Return the unit in log(1 + y / unit), suitable for any unit of non-negative amounts y, (n,).

    It is 1 for counts; otherwise a small amount, below which a logarithm would mostly show
    rounding.
    """
    positive_values = y[y > 0]
    if not positive_values.size or bool((y == np.round(y)).all()):
        return 1.0
    return float(np.quantile(positive_values, SMALL_AMOUNT_SHARE))
