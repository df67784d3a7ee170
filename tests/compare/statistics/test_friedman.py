"""Friedman and Nemenyi tests against scipy, printed tables and exact values."""

import numpy as np
import pytest
from scipy import stats

from studio.compare.statistics.ranks import (
    FriedmanTest,
    compute_average_ranks,
    compute_critical_difference,
    find_groups,
    run_friedman_test,
)

QUANTILES = {
    0.05: (
        1.9600, 2.3437, 2.5690, 2.7278, 2.8497, 2.9483, 3.0309, 3.1017, 3.1637, 3.2187, 3.2680,
        3.3127, 3.3536, 3.3912, 3.4260, 3.4584, 3.4887, 3.5171, 3.5438,
    ),
    0.1: (
        1.6449, 2.0523, 2.2913, 2.4595, 2.5885, 2.6927, 2.7799, 2.8546, 2.9199, 2.9778, 3.0297,
        3.0767, 3.1197, 3.1592, 3.1957, 3.2297, 3.2615, 3.2912, 3.3192,
    ),
    0.01: (
        2.5758, 2.9135, 3.1133, 3.2547, 3.3637, 3.4522, 3.5265, 3.5903, 3.6463, 3.6960, 3.7407,
        3.7813, 3.8185, 3.8527, 3.8843, 3.9138, 3.9414, 3.9674, 3.9918,
    ),
}  # fmt: skip


@pytest.mark.parametrize("ties", [False, True])
def test_friedman_agrees_with_scipy(ties: bool) -> None:
    rng = np.random.default_rng(3)
    errors = rng.integers(3, size=(9, 4)).astype(float) if ties else rng.normal(size=(9, 4))
    theirs = stats.friedmanchisquare(*errors.T)
    mine = run_friedman_test(errors)
    assert mine.chi_square == pytest.approx(theirs.statistic)
    assert mine.p == pytest.approx(theirs.pvalue)


def test_friedman_without_ties_equals_formula() -> None:
    errors = np.random.default_rng(5).normal(size=(7, 3))
    n, k = errors.shape
    means = compute_average_ranks(errors).mean(axis=0)
    chi_square = 12 * n / (k * (k + 1)) * (np.sum(means**2) - k * (k + 1) ** 2 / 4)
    f = (n - 1) * chi_square / (n * (k - 1) - chi_square)
    mine = run_friedman_test(errors)
    assert mine.chi_square == pytest.approx(chi_square)
    assert mine.f == pytest.approx(f)
    assert mine.f_p == pytest.approx(stats.f.sf(f, k - 1, (k - 1) * (n - 1)))


def test_friedman_accepts_extreme_ranks() -> None:
    assert run_friedman_test(np.ones((4, 3))) == FriedmanTest(chi_square=0.0, p=1.0, f=0.0, f_p=1.0)
    sure = run_friedman_test(np.tile([1.0, 2.0, 3.0], (5, 1)))
    assert sure.f == np.inf
    assert sure.f_p == 0.0
    assert run_friedman_test(np.array([[1.0, 2.0], [2.0, 1.0]])).p == 1.0


@pytest.mark.parametrize(
    ("k", "n", "expected"), [(4, 39, 0.751), (4, 22, 1.0), (10, 15, 3.498), (6, 15, 1.947)]
)
def test_critical_differences_match_reference_table(k: int, n: int, expected: float) -> None:
    assert compute_critical_difference(k, n) == pytest.approx(expected, abs=5e-4)


@pytest.mark.parametrize("alpha", QUANTILES)
def test_quantiles_match_reference_table(alpha: float) -> None:
    # N chosen so that the difference is the quantile itself: N = k (k + 1) / 6.
    quantiles = [
        compute_critical_difference(k, 1, alpha) / np.sqrt(k * (k + 1) / 6) for k in range(2, 21)
    ]
    assert quantiles == pytest.approx(QUANTILES[alpha], abs=6e-5)


def test_bars_are_maximal_groups_within_critical_difference() -> None:
    ranks = np.array([3.0, 1.0, 1.5, 2.2, 5.0])
    assert find_groups(ranks, 1.0) == [(1, 2), (2, 3), (3, 0)]
    assert find_groups(ranks, 1.5) == [(1, 2, 3), (2, 3, 0)]
    assert find_groups(ranks, 0.1) == []
    assert find_groups(ranks, 9.0) == [(1, 2, 3, 0, 4)]
    # The first of equal methods stays first, regardless of their number.
    assert find_groups(np.repeat([2.0, 1.0], 20), 0.0) == [tuple(range(20, 40)), tuple(range(20))]
