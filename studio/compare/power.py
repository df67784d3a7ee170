"""Statistical power of a planned comparison; light enough for live updates."""

import math

from studio.compare.statistics.intervals import CONFIDENCE, MIN_REPETITIONS

POWER = 0.8
"""The target power: the share of studies that find a difference."""

MAX_REPETITIONS = 10
"""Maximum useful number of repetitions, as they share rows."""

_TARGET_RATIO = 2.0
"""Difference to be detected, in standard deviations."""

_MAX_BISECTIONS = 60
_MAX_QUANTILE = 100.0


def compute_detectable_difference(n_repetitions: int, shared: float) -> float:
    """Return the smallest difference of two methods detectable on one data set with this power.

    The result is in standard deviations of the difference between repetitions: the sum of both
    quantiles of Student's test times
    :func:`studio.compare.statistics.intervals.compute_standard_error`. It is infinite with too few
    repetitions.

    Args:
        shared: Share of rows used for testing in a repetition, in [0, 1).
    """
    if n_repetitions < MIN_REPETITIONS:
        return math.inf
    degrees = n_repetitions - 1
    quantiles = _find_quantile((1 + CONFIDENCE) / 2, degrees) + _find_quantile(POWER, degrees)
    return quantiles * math.sqrt(1 / n_repetitions + shared / (1 - shared))


def choose_repetitions(shared: float) -> int:
    """Return the minimum number of repetitions to detect a difference of twice its spread."""
    numbers = range(MIN_REPETITIONS, MAX_REPETITIONS)
    return next(
        (n for n in numbers if compute_detectable_difference(n, shared) <= _TARGET_RATIO),
        MAX_REPETITIONS,
    )


def _find_quantile(probability: float, degrees: int) -> float:
    low, high = 0.0, _MAX_QUANTILE
    for _ in range(_MAX_BISECTIONS):
        middle = (low + high) / 2
        low, high = (middle, high) if _student_cdf(middle, degrees) < probability else (low, middle)
    return (low + high) / 2


def _student_cdf(t: float, degrees: int) -> float:
    """Return P(T ≤ t) for t ≥ 0 (Abramowitz and Stegun 1964, 26.7.3 and 26.7.4)."""
    angle = math.atan(t / math.sqrt(degrees))
    squared = math.cos(angle) ** 2
    if degrees % 2:
        term, total = math.cos(angle), 0.0
        for k in range(2, degrees, 2):
            total += term
            term *= squared * k / (k + 1)
        return 0.5 + (angle + math.sin(angle) * total) / math.pi
    term, total = 1.0, 0.0
    for k in range(1, degrees, 2):
        total += term
        term *= squared * k / (k + 1)
    return 0.5 + math.sin(angle) * total / 2
