"""Statistical power of a planned comparison; light enough for live updates."""

import math

from studio.compare.statistics.intervals import MIN_REPETITIONS

MAX_REPETITIONS = 10
"""Maximum useful number of repetitions, as they share rows."""

_TARGET_RATIO = 2.0
"""Difference to be detected, in standard deviations."""

_QUANTILE_SUMS = (
    5.363312901529284, 4.160918617647012, 3.717409682432975, 3.4901256158771417,
    3.35261513632551, 3.2606538959065494, 3.194893652971186, 3.1455610224837396,
)  # fmt: skip
"""Sums of the 97.5 % and 80 % quantiles of Student's t, for 2 to 9 degrees of freedom; by scipy,
which the window does not import.
"""


def compute_detectable_difference(n_repetitions: int, shared: float) -> float:
    """Return the smallest difference that 80 % of studies would detect on one data set.

    The result is in standard deviations of the difference between repetitions: the sum of both
    quantiles of Student's test times
    :func:`studio.compare.statistics.intervals.compute_standard_error`. It is infinite with too few
    repetitions.

    Args:
        n_repetitions: At most :data:`MAX_REPETITIONS`.
        shared: Share of rows used for testing in a repetition, in [0, 1).
    """
    if n_repetitions < MIN_REPETITIONS:
        return math.inf
    quantiles = _QUANTILE_SUMS[n_repetitions - MIN_REPETITIONS]
    return quantiles * math.sqrt(1 / n_repetitions + shared / (1 - shared))


def choose_repetitions(shared: float) -> int:
    """Return the minimum number of repetitions to detect a difference of twice its spread."""
    numbers = range(MIN_REPETITIONS, MAX_REPETITIONS)
    return next(
        (n for n in numbers if compute_detectable_difference(n, shared) <= _TARGET_RATIO),
        MAX_REPETITIONS,
    )
