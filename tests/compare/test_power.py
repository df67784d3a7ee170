"""The power of a comparison, against scipy and by simulation of its own test."""

import math

import numpy as np
import pytest
from scipy import stats

from studio.compare.power import (
    _QUANTILE_SUMS,
    MAX_REPETITIONS,
    choose_repetitions,
    compute_detectable_difference,
)
from studio.compare.statistics.intervals import (
    CONFIDENCE,
    MIN_REPETITIONS,
    SIGNIFICANCE_LEVEL,
    compute_zero_mean_p_value,
)


def test_quantiles_equal_student_t() -> None:
    degrees = np.arange(MIN_REPETITIONS, MAX_REPETITIONS + 1) - 1
    expected = stats.t.ppf((1 + CONFIDENCE) / 2, degrees) + stats.t.ppf(0.8, degrees)
    assert pytest.approx(expected, rel=1e-9) == _QUANTILE_SUMS


@pytest.mark.parametrize("repetitions", [5, 10])
def test_corrected_test_detects_detectable_difference(repetitions: int) -> None:
    shared, rng = 0.2, np.random.default_rng(3)
    difference = compute_detectable_difference(repetitions, shared)
    # Repetitions share rows, so their errors have a common part.
    common = math.sqrt(shared / (1 - shared)) * rng.normal(size=(1500, 1))
    values = difference + common + rng.normal(size=(1500, repetitions))
    is_significant = [
        compute_zero_mean_p_value(each, shared) < SIGNIFICANCE_LEVEL for each in values
    ]
    assert np.mean(is_significant) == pytest.approx(0.8, abs=0.035)


def test_recommended_repetitions_reach_power() -> None:
    assert compute_detectable_difference(2, 0.2) == math.inf
    n = choose_repetitions(0.2)
    assert compute_detectable_difference(n, 0.2) <= 2.0 < compute_detectable_difference(n - 1, 0.2)
    assert choose_repetitions(0.5) == 10, "no number suffices"
