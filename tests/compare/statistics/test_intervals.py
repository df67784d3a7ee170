"""Student's interval, plain and corrected, against scipy and by its level and coverage."""

import math

import numpy as np
import pytest
from scipy import stats

from studio.compare.statistics.intervals import (
    CONFIDENCE,
    MIN_REPETITIONS,
    SIGNIFICANCE_LEVEL,
    Difference,
    Interval,
    compute_bounded_interval,
    compute_mean_interval,
    compute_zero_mean_p_value,
)
from studio.compare.statistics.two_methods import compute_relative_differences, run_wilcoxon_test

NOTHING = (-math.inf, math.inf)


@pytest.mark.parametrize("n", range(MIN_REPETITIONS, 11))
def test_interval_without_overlap_equals_student_t(n: int) -> None:
    values = np.random.default_rng(n).normal(0.3, 1, n)
    theirs = stats.ttest_1samp(values, 0)
    interval = compute_mean_interval(values)
    assert (interval.low, interval.high) == pytest.approx(theirs.confidence_interval(CONFIDENCE))
    assert compute_zero_mean_p_value(values) == pytest.approx(theirs.pvalue)


def test_interval_with_overlap_equals_nadeau_bengio() -> None:
    values = np.array([1.0, 2.0, 4.0, 3.0, 5.0])
    plain, wide = compute_mean_interval(values), compute_mean_interval(values, 0.2)
    # 1/5 + 0.2/0.8 instead of 1/5.
    assert (wide.high - wide.mean) / (plain.high - plain.mean) == pytest.approx(1.5)
    inside = compute_zero_mean_p_value(values - wide.high * 0.999, 0.2)
    assert inside > SIGNIFICANCE_LEVEL > compute_zero_mean_p_value(values - wide.high * 1.001, 0.2)
    assert not compute_mean_interval(values, 1.0).has_known_spread
    assert compute_zero_mean_p_value(values, 1.0) == 1


@pytest.mark.parametrize(
    "values", [[0.3], [0.3, 0.4], [0.1] * 7, [0.1 + 0.2, 0.3, 0.3], [3e8 * (1 + 1e-15), 3e8, 3e8]]
)
def test_interval_of_few_or_equal_values_is_undefined(values: list[float]) -> None:
    interval = compute_mean_interval(np.array(values))
    assert interval == Interval(float(np.mean(values)), *NOTHING)
    assert not interval.has_known_spread
    assert compute_zero_mean_p_value(np.array(values)) == 1.0


@pytest.mark.parametrize("n", [3, 5, 10])
def test_interval_has_nominal_false_positive_rate(n: int) -> None:
    """Repetitions that share a fifth of their rows have a correlation of 0.2."""
    rng = np.random.default_rng(n)
    studies = math.sqrt(0.2) * rng.normal(size=(2000, 1)) + math.sqrt(0.8) * rng.normal(
        size=(2000, n)
    )
    decided = np.mean(
        [compute_zero_mean_p_value(each, 0.2) < SIGNIFICANCE_LEVEL for each in studies]
    )
    # Three standard errors of a share of 5 % among 2,000. (The bootstrap's was 0.30 to 0.35.)
    assert decided == pytest.approx(SIGNIFICANCE_LEVEL, abs=0.015)


@pytest.mark.parametrize("first", [1.0, 0.95, 0.7, 0.25])
@pytest.mark.parametrize("n", [MIN_REPETITIONS, 8, 20])
def test_bounded_interval_covers_and_is_not_degenerate(n: int, first: float) -> None:
    """Ranks of four methods, one of which is first in a share of all cases."""
    rng = np.random.default_rng(n)
    ranks = np.where(rng.random((1500, n)) < first, 1, rng.integers(2, 5, (1500, n)))
    truth = first + 3 * (1 - first)
    intervals = [compute_bounded_interval(each, 1, 4) for each in ranks]
    assert np.mean([each.low <= truth <= each.high for each in intervals]) >= 0.94
    assert all(1 <= each.low <= each.mean <= each.high <= 4 for each in intervals)
    assert all(each.low < each.high for each in intervals)
    assert compute_bounded_interval(np.ones(MIN_REPETITIONS - 1), 1, 4) == Interval(1.0, *NOTHING)


@pytest.mark.parametrize("values", [[2.0, 2.5, 3.0, 2.0, 2.5, 1.5], [1.0] * 5, [4.0, 3.5, 4.0]])
def test_bounded_interval_adds_half_value_at_bounds(values: list[float]) -> None:
    n = len(values)
    # Each value twice and each bound once: 2 (n + 1) halves.
    halves = [*values, *values, 1.0, 4.0]
    centre = float(np.mean(halves))
    reach = stats.t.ppf((1 + CONFIDENCE) / 2, n - 1) * math.sqrt(np.var(halves) / n)
    interval = compute_bounded_interval(np.array(values), 1, 4)
    assert interval.mean == pytest.approx(np.mean(values))
    expected = (max(1, centre - reach), min(4, centre + reach))
    assert (interval.low, interval.high) == pytest.approx(expected)


def test_interval_is_defined_if_bounds_are_finite() -> None:
    assert compute_mean_interval(np.array([1.0, 2.0, 4.0])).has_known_spread
    assert not Interval(0.0, -math.inf, 1.0).has_known_spread
    assert not Interval(0.0, -1.0, math.inf).has_known_spread


def test_significance_of_difference_follows_p_value() -> None:
    assert Difference(Interval(0.1, 0.05, 0.15), SIGNIFICANCE_LEVEL).is_undecided
    assert not Difference(Interval(0.1, 0.05, 0.15), 0.049).is_undecided


def test_relative_differences_are_unitless_and_antisymmetric() -> None:
    rng = np.random.default_rng(0)
    mine, theirs = rng.uniform(1, 3, (2, 12))
    unit = 10.0 ** rng.integers(-4, 5, 12)
    differences = compute_relative_differences(mine, theirs)
    assert compute_relative_differences(mine * unit, theirs * unit) == pytest.approx(differences)
    assert compute_relative_differences(theirs, mine) == pytest.approx(-differences)
    # Wilcoxon's test uses ranks only: those of the log ratio.
    assert run_wilcoxon_test(differences) == run_wilcoxon_test(np.log(mine / theirs))
    assert compute_relative_differences(np.array([0.0, 0.0]), np.array([0.0, 0.3])).tolist() == [
        0,
        -2,
    ]
