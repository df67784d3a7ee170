"""DivBO's equations 4 and 5, against closed forms and brute force."""

import numpy as np
import pytest
from scipy.stats import rankdata

from studio.proposers.divbo import (
    compute_least_diversity,
    compute_rank_sum,
    compute_ranks,
    compute_saturating_weight,
)


@pytest.mark.parametrize(("t", "expected"), [(0, 0.0), (5, 0.0116), (10, 0.0190), (20, 0.0241)])
def test_diversity_weight_grows_as_in_reference_table(t, expected):
    assert compute_saturating_weight(t) == pytest.approx(expected, abs=5e-5)


def test_diversity_weight_follows_equation_5():
    for t in range(300):
        sigmoid = 1.0 / (1.0 + np.exp(-0.4 * t))
        assert compute_saturating_weight(t, 0.1, 0.4) == pytest.approx(0.1 * (sigmoid - 0.5))
    assert compute_saturating_weight(10**9) == 0.025


def test_ranks_are_descending_and_average_ties(rng):
    values = rng.integers(0, 12, 200).astype(float)
    np.testing.assert_array_equal(compute_ranks(values), rankdata(-values, method="average"))
    np.testing.assert_array_equal(
        compute_ranks(np.array([3.0, 9.0, 3.0, -1.0])), [2.5, 1.0, 2.5, 4.0]
    )
    np.testing.assert_array_equal(compute_ranks(np.full(5, 0.2)), np.full(5, 3.0))


def test_rank_sum_equals_brute_force(rng):
    performance, diversity = rng.integers(0, 9, (2, 40)).astype(float)

    def count_ranks(values, i):
        return (values > values[i]).sum() + ((values == values[i]).sum() + 1) / 2

    expected = [count_ranks(performance, i) + 0.3 * count_ranks(diversity, i) for i in range(40)]
    np.testing.assert_allclose(compute_rank_sum(performance, diversity, 0.3), expected)


def test_candidates_beyond_bound_are_not_chosen(rng):
    n, weight = 5000, 0.025
    for _ in range(20):
        performance, diversity = rng.normal(size=(2, n))
        best = int(compute_rank_sum(performance, diversity, weight).argmin())
        assert compute_ranks(performance)[best] <= 1 + weight * (n - 1)


def test_zero_weight_ranks_by_performance(rng):
    performance = rng.integers(0, 5, 30).astype(float)
    total = compute_rank_sum(performance, rng.normal(size=30), 0.0)
    np.testing.assert_array_equal(total == total.min(), performance == performance.max())


def test_least_diversity_without_variance_is_least_mean(rng):
    mean = rng.random((30, 4))
    least_diversities = compute_least_diversity(mean, np.zeros((30, 4)), 3, rng)
    np.testing.assert_allclose(least_diversities, mean.min(axis=1))


def test_least_diversity_equals_brute_force():
    rng = np.random.default_rng(3)
    mean, variance = rng.random((6, 3)), rng.random((6, 3))
    least_diversities = compute_least_diversity(mean, variance, 7, np.random.default_rng(5))
    normal = np.random.default_rng(5).standard_normal((7, 6, 3))
    for x in range(6):
        least = [
            min(mean[x, p] + variance[x, p] ** 0.5 * normal[n, x, p] for p in range(3))
            for n in range(7)
        ]
        assert least_diversities[x] == pytest.approx(sum(least) / 7)


def test_least_diversity_of_two_equal_normals_has_known_value(rng):
    mean, variance = np.full((50, 2), 0.5), np.full((50, 2), 0.04)
    mean_diversity = compute_least_diversity(mean, variance, 4000, rng).mean()
    assert mean_diversity == pytest.approx(0.5 - 0.2 / np.sqrt(np.pi), abs=2e-3)
