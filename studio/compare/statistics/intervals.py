"""Student's interval and test of a mean, corrected for repetitions that share rows."""

import math
from dataclasses import dataclass

import numpy as np

from studio.arrays import Floats

CONFIDENCE = 0.95

SIGNIFICANCE_LEVEL = 0.05

MIN_REPETITIONS = 3
"""Minimum number of values for estimating a spread, and hence for a decision.

With two values the theory is exact but useless: the interval is 13 standard errors wide, or has no
width for two equal differences, as occurs in a few per cent of cases with small test sets.
"""


@dataclass(frozen=True)
class Interval:
    """A mean with its 95 % interval; infinite ends for an unknown spread."""

    mean: float
    low: float
    high: float

    @property
    def has_known_spread(self) -> bool:
        """Whether the spread is known."""
        return math.isfinite(self.low) and math.isfinite(self.high)


@dataclass(frozen=True)
class Difference:
    """A mean paired difference of errors; negative if the first is better.

    Attributes:
        p: Two-sided p-value of no true difference; possibly corrected for multiple comparisons. 1
            for an unknown spread.
    """

    interval: Interval
    p: float

    @property
    def is_undecided(self) -> bool:
        """Whether either of the two may be better."""
        return self.p >= SIGNIFICANCE_LEVEL


def compute_mean_interval(values: Floats, shared: float = 0.0) -> Interval:
    """Return the mean of values with Student's interval.

    Args:
        values: Shape (n,), n > 0. One per repetition or data set. With fewer than
            :data:`MIN_REPETITIONS`, or all equal, the spread is unknown and the ends are infinite.
        shared: See :func:`compute_standard_error`.
    """
    from scipy.special import stdtrit

    mean, error = float(np.mean(values)), compute_standard_error(values, shared)
    if not 0 < error < math.inf:
        return Interval(mean, -math.inf, math.inf)
    half_width = float(stdtrit(len(values) - 1, (1 + CONFIDENCE) / 2)) * error
    return Interval(mean, mean - half_width, mean + half_width)


def compute_bounded_interval(values: Floats, minimum: float, maximum: float) -> Interval:
    """Return the mean of bounded values with an interval that does not degenerate at the bounds.

    The ranks of a method that is always first have no spread, and Student's interval of values
    near a bound is too narrow (it covered 82 to 93 % instead of 95 in our simulations). Therefore
    half a value is added at each bound, like successes and failures for a share (Agresti and Coull
    1998), only for the interval; its coverage is then 95 % or more.

    Args:
        values: Shape (n,), n > 0. In [minimum, maximum], independent: mean ranks, one per data set.
            With fewer than :data:`MIN_REPETITIONS` the ends are infinite.
        minimum, maximum: The bounds, ``minimum < maximum``.
    """
    from scipy.special import stdtrit

    n, mean = len(values), float(np.mean(values))
    if n < MIN_REPETITIONS:
        return Interval(mean, -math.inf, math.inf)
    centre = (float(np.sum(values)) + (minimum + maximum) / 2) / (n + 1)
    squares = float(np.sum((values - centre) ** 2))
    squares += ((minimum - centre) ** 2 + (maximum - centre) ** 2) / 2
    half_width = float(stdtrit(n - 1, (1 + CONFIDENCE) / 2)) * math.sqrt(squares / n / (n + 1))
    # The interval contains the mean, which differs from the centre by less than the radius.
    return Interval(mean, max(minimum, centre - half_width), min(maximum, centre + half_width))


def compute_zero_mean_p_value(values: Floats, shared: float = 0.0) -> float:
    """Return the two-sided p-value of a true mean of zero of values (n,), by Student's test.

    It is below 5 % where zero is outside the interval of :func:`compute_mean_interval`, and 1 for
    an unknown spread.
    """
    from scipy.special import stdtr

    error = compute_standard_error(values, shared)
    if not 0 < error < math.inf:
        return 1.0
    return 2 * float(stdtr(len(values) - 1, -abs(float(np.mean(values))) / error))


def compute_standard_error(values: Floats, shared: float) -> float:
    """Return the standard error of a mean of equally correlated values.

    ``s √(1/n + ρ/(1 − ρ))``, with the standard deviation s (n − 1 in the denominator): the
    corrected resampled t of Nadeau and Bengio (Machine Learning 52, 2003, section 3). Repetitions
    split the same table, so two of them share some test rows and most training rows; their errors
    are correlated. Nadeau and Bengio set ρ to the share of test rows, which our simulations confirm
    (docs/studies/honesty-comparisons.md).

    Args:
        values: Shape (n,). Rounding noise counts as no spread. Infinite for n <
            :data:`MIN_REPETITIONS`.
        shared: ρ in [0, 1]: 0 for values without common rows, such as those of different data sets.
            1 for repetitions with the same test rows, whose spread says nothing of other rows; the
            error is then infinite.
    """
    n = len(values)
    if n < MIN_REPETITIONS or shared == 1:
        return math.inf
    spread = float(np.std(values, ddof=1))
    if spread <= 1e-12 * float(np.max(np.abs(values))):
        return 0.0
    return spread * math.sqrt(1 / n + shared / (1 - shared))
