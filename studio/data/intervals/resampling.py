"""The Bayesian bootstrap with one additional, unseen unit.

Every unit (a row, a group of rows, a block of time) has an exponentially distributed weight (Rubin
1981), so no class vanishes and every metric remains defined. Resamples contain observed errors
only: those of perfect predictions are all perfect. Therefore the upper limit of an interval
includes one additional unit with the worst observed error (entirely wrong if there was none), and
the lower limit one without errors. For a mean in [0, 1] these are the bounds of Gaffke (2005;
Learned-Miller and Thomas 2019), for a share of rows exactly the interval of Clopper and Pearson
(1934), and for two models' wrong rows the exact test of McNemar. Their coverage and the choice of
the method are documented in docs/studies/honesty.md.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import ndtr, stdtrit

from studio.arrays import Floats, Integers
from studio.data.metrics.ratios import Ratios
from studio.seeds import derive

DRAWS = 4000
"""Number of resamples per interval."""

MAX_UNITS = 400
"""Maximum number of units drawn separately; more are merged into random groups. The means of groups
vary like those of units, and 400 groups suffice to estimate the variance.
"""

CONFIDENCE = 0.95


@dataclass(frozen=True, eq=False)
class UnitSums:
    """Contributions of units to the ratios of a loss.

    Attributes:
        numerators, denominators: Shape (k, u). Sums over the rows of each unit.
        typical_denominators: Shape (k,). The typical denominator of a unit: heavy units count more
            often.
        unit_errors: Shape (k, u). The error of each unit: its ratios. If these are unbounded, they
            are relative to a typical unit, as the denominator of a single row may be close to 0.
    """

    numerators: Floats
    denominators: Floats
    typical_denominators: Floats
    unit_errors: Floats


def compute_unit_sums(ratios: Ratios, units: Integers | None) -> UnitSums:
    """Return each unit's contributions to the ratios; ``units`` (n,) are codes 0, 1, …."""
    sums = (sum_by_unit(each, units) for each in (ratios.numerators, ratios.denominators))
    numerators, denominators = sums
    typical = divide_safely(np.square(denominators).sum(axis=1), denominators.sum(axis=1))
    is_unbounded = ratios.max_excess > 1
    return UnitSums(
        numerators,
        denominators,
        typical,
        divide_safely(numerators, typical[:, None] if is_unbounded else denominators),
    )


def divide_safely(numerator: Floats, denominator: Floats) -> Floats:
    """Return numerator/denominator, in the numerator's shape; 0 where the denominator is 0."""
    return np.divide(
        numerator,
        denominator,
        out=np.zeros_like(numerator),
        where=np.broadcast_to(denominator > 0, numerator.shape),
    )


def sum_by_unit(values: Floats, units: Integers | None) -> Floats:
    """Return the sums of rows' values, shape (k, n), by unit, shape (k, u)."""
    if units is None:
        return values
    return np.stack([np.bincount(units, weights=each) for each in values])


def resample_sums(values: Floats) -> Floats:
    """Return sums over randomly weighted units, (DRAWS, k), of contributions (k, u)."""
    n_units = values.shape[1]
    if n_units > MAX_UNITS:
        values, n_units = sum_by_unit(values, _assign_random_groups(n_units)), MAX_UNITS
    return _draw_weights(n_units) @ values.T


def resample_both_sums(unit_sums: UnitSums) -> tuple[Floats, Floats]:
    """Return numerators and denominators of a loss over randomly weighted units.

    They have shape (DRAWS, k) each. Equal units are drawn as one: the sum of m exponential weights
    has a gamma distribution. Hence equal numbers of equal errors have identical intervals,
    regardless of the rows.
    """
    stacked_sums = np.concatenate((unit_sums.numerators, unit_sums.denominators))
    ordered = stacked_sums[:, np.lexsort(stacked_sums[::-1])]
    is_first = np.append(True, (ordered[:, 1:] != ordered[:, :-1]).any(axis=0))
    counts = np.diff(np.append(np.flatnonzero(is_first), len(is_first)))
    if len(counts) > MAX_UNITS:
        totals = resample_sums(stacked_sums)  # unordered, so that units of a group differ
    elif counts.max() == 1:
        totals = resample_sums(ordered)
    else:
        rng = np.random.default_rng(derive(0, "interval", "equal", len(counts)))
        totals = rng.standard_gamma(counts, (DRAWS, len(counts))) @ ordered[:, is_first].T
    n_ratios = len(unit_sums.numerators)
    return totals[:, :n_ratios], totals[:, n_ratios:]


def draw_unseen_unit_weights(n_ratios: int = 1) -> Floats:
    """Return the weight of an unseen unit in each resample, shape (DRAWS, n_ratios).

    Each ratio has a separate weight: no row belongs to several classes, so none is wrong in all of
    them.
    """
    return _draw_weights(n_ratios, "unseen")


def compute_limits(low: Floats, high: Floats, n_values: int | None = None) -> tuple[float, float]:
    """Return the limits from the resamples of each, (DRAWS,); see :func:`compute_tail`."""
    tail = compute_tail(n_values)
    return float(np.quantile(low, tail)), float(np.quantile(high, 1 - tail))


def compute_tail(n_values: int | None = None) -> float:
    """Return the probability beyond each limit of an interval in the resamples.

    Args:
        n_values: Number of units if the resamples vary by their spread alone: those of n values
            vary by (n − 1)/n too little, above and below. The quantiles are moved outwards as far
            as Student's are from the normal ones (Hesterberg 2015, section 4.2: the expanded
            percentile interval). With a single unit they are unchanged.
    """
    tail = (1 - CONFIDENCE) / 2
    if n_values is None or n_values < 2:
        return tail
    return float(ndtr((n_values / (n_values - 1)) ** 0.5 * stdtrit(n_values - 1, tail)))


@lru_cache(maxsize=8)
def _draw_weights(n_units: int, purpose: str = "seen") -> Floats:
    rng = np.random.default_rng(derive(0, "interval", purpose, n_units))
    return rng.standard_exponential((DRAWS, n_units))


@lru_cache(maxsize=4)
def _assign_random_groups(n_units: int) -> Integers:
    """Assign each unit to a random group, (n_units,); groups have similar sizes."""
    rng = np.random.default_rng(derive(0, "lots", n_units))
    return rng.permutation(n_units) % MAX_UNITS


MAX_BLOCKS = 20
"""Maximum number of blocks of time: few enough for near independence, and enough for the variance
(batch means: Schmeiser 1982, who finds 10 to 30).
"""


def get_units(
    rows: Integers, groups: Integers | None = None, times: Floats | None = None
) -> Integers | None:
    """Return the resampling unit of each row.

    Errors of rows of one group are dependent, and so are those of rows adjacent in time. Resampled
    individually, they would count as independent observations.

    Args:
        rows: Shape (m,). Row numbers.
        groups, times: Shape (n,). Group and time of all rows, if a split respected them
            (:class:`studio.data.problem.Problem`).

    Returns:
        Shape (m,), or None. Codes 0, 1, …: groups, or √m blocks of consecutive times, at most
        :data:`MAX_BLOCKS`. ``None``: each row is a separate unit.
    """
    if not rows.size:
        return None
    if groups is not None:
        return np.unique(groups[rows], return_inverse=True)[1].astype(np.int64)
    if times is None or np.isnan(times[rows]).any():
        return None  # rows of a second file lack the time
    _, time_codes, counts = np.unique(times[rows], return_inverse=True, return_counts=True)
    n_blocks = min(MAX_BLOCKS, max(2, round(rows.size**0.5)))
    # Rows of equal time belong to the block of the middle one.
    middle_rows = np.cumsum(counts) - counts / 2
    block_codes = np.floor(middle_rows * n_blocks / rows.size).astype(np.int64)
    return np.unique(block_codes[time_codes], return_inverse=True)[1].astype(np.int64)
