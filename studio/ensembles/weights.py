"""Meaning of validation row weights for ensemble builders.

A row of weight 2 counts as much as two rows. If all weights are integers, this is exact: the
ensemble equals that of a table with repeated rows, including the number of rows and their
resampling. Other weights are only relative.
"""

import numpy as np

from studio.arrays import Floats

MAX_TOTAL_COUNT = 2_000_000
"""Maximum sum of integer weights taken as counts; larger sums are relative, as more rows would not
add precision.
"""

_MAX_WEIGHT_SUM = 2.0**32
"""Maximum integer weight: losses up to 2²¹ then still have exact sums in double precision."""


def are_counts(weights: Floats | None) -> bool:
    """Return whether weights, shape (n,), are counts of rows."""
    if weights is None:
        return True
    return bool(np.all(weights == np.rint(weights)) and weights.sum() <= MAX_TOTAL_COUNT)


def count_effective_rows(weights: Floats | None, n_rows: int) -> float:
    """Return the effective number of rows: of equally weighted rows with the same variance.

    For integer weights their sum, otherwise (Σw)²/Σw² (Kish 1965).

    Args:
        weights: Shape (rows,). At least 0, not all 0; ``None``: equal.
    """
    if weights is None:
        return float(n_rows)
    total = float(weights.sum())
    return total if are_counts(weights) else total**2 / float(np.square(weights).sum())


def make_exact_weights(weights: Floats | None) -> Floats | None:
    """Return weights (n,) as proportional integers, so that sums are exact.

    Equivalent ensembles then have exactly equal losses, regardless of the order of rows. Integers
    are unchanged; other weights are rounded to 2⁻³² of their sum.
    """
    if weights is None or are_counts(weights):
        return weights
    scaled: Floats = np.rint(weights * (_MAX_WEIGHT_SUM / weights.sum()))
    return scaled
