"""Importance of columns: each row's part in a loss, and simulated coverage of intervals."""

from collections.abc import Callable

import numpy as np
import pytest

from studio.arrays import Floats
from studio.data.intervals.loss import (
    SIGNIFICANCE_LEVEL,
    compute_importance_intervals,
    compute_row_contributions,
    extend_lower_limits,
    find_significant_columns,
)
from studio.data.metrics.base import Metric
from studio.data.metrics.registry import REGISTRY, get_metric
from tests.data.intervals.test_intervals import draw_sample

SMOOTH = [each() for each in REGISTRY if each.key != "median-absolute-error"]


@pytest.mark.parametrize("metric", [each() for each in REGISTRY], ids=lambda each: each.key)
def test_row_contributions_average_to_loss(metric: Metric) -> None:
    truth, predictions = draw_sample(metric, 60)
    weights = np.random.default_rng(1).uniform(1, 9, 60)
    weights[:3] = 0.0
    for each in (None, weights):
        parts = compute_row_contributions(metric, truth, predictions, each)
        assert parts is not None
        assert parts.mean() == pytest.approx(metric.compute_loss(truth, predictions, each))


@pytest.mark.parametrize("metric", SMOOTH, ids=lambda each: each.key)
def test_row_contribution_equals_influence_of_weight(metric: Metric) -> None:
    truth, predictions = draw_sample(metric, 40)
    parts = compute_row_contributions(metric, truth, predictions, None)
    assert parts is not None
    loss, more = metric.compute_loss(truth, predictions), 1e-3
    for row in range(0, 40, 7):
        weights = np.ones(40)
        weights[row] += more
        change = (metric.compute_loss(truth, predictions, weights) - loss) * (40 + more) / more
        assert parts[row] - loss == pytest.approx(change, abs=0.02 * np.ptp(parts) + 1e-9)


def test_row_contributions_of_mean_equal_row_losses() -> None:
    metric = get_metric("mae", "regression")
    truth, predictions = draw_sample(metric, 30)
    np.testing.assert_allclose(
        compute_row_contributions(metric, truth, predictions, None), np.abs(truth - predictions)
    )


def test_importance_is_significant_below_level_of_1_in_40() -> None:
    rng = np.random.default_rng(3)
    for values, rows, beyond in ((6, 2, False), (6, 3, True), (2, 5, False), (2, 6, True)):
        # If every unshuffled loss is the lowest, chance has probability values ** -rows.
        assert (float(values) ** -rows <= SIGNIFICANCE_LEVEL) == beyond
        losses = rng.exponential(size=(values, rows, 3))
        losses.sort(axis=0)
        assert find_significant_columns(losses).tolist() == [beyond] * 3
    assert not find_significant_columns(np.ones((6, 50, 2))).any(), "a column that is not used"


@pytest.mark.slow
def test_irrelevant_columns_are_significant_at_nominal_rate() -> None:
    rng = np.random.default_rng(4)
    for losses in (rng.normal(size=(6, 40, 3000)), rng.exponential(size=(6, 40, 3000)) ** 3):
        assert 0.018 < find_significant_columns(losses).mean() < 0.032


@pytest.mark.slow
def test_any_irrelevant_of_many_terms_is_significant_at_nominal_rate() -> None:
    rng = np.random.default_rng(6)
    n_terms, n_texts = 40, 250
    for losses in (
        rng.normal(size=(6, 60, n_terms * n_texts)),
        rng.exponential(size=(6, 60, n_terms * n_texts)),
    ):
        is_significant = find_significant_columns(losses, n_terms).reshape(n_texts, n_terms)
        assert 0.005 < is_significant.any(axis=1).mean() < 0.05
        alone = find_significant_columns(losses).reshape(n_texts, n_terms)
        assert alone.any(axis=1).mean() > 0.4, "without the correction"


def test_strong_term_of_many_is_significant() -> None:
    rng = np.random.default_rng(7)
    losses = rng.normal(size=(6, 100, 3))
    losses[0, :, 0] -= 0.6
    assert find_significant_columns(losses, 100).tolist() == [True, False, False]


def test_lower_limit_is_extended_by_number_of_comparisons() -> None:
    means, low = np.full(3, 4.0), np.full(3, 4.0 - 1.959964)
    limits = extend_lower_limits(means, low, np.array([1, 10, 50]))
    # The quantiles of the normal distribution at 2.5 %, 0.25 % and 0.05 %.
    assert limits == pytest.approx([4 - 1.959964, 4 - 2.807034, 4 - 3.290527], abs=1e-5)


def estimate_importance(
    n: int, seed: int, predict: Callable[[Floats], Floats]
) -> tuple[Floats, Floats, Floats]:
    """Return the increase of the mean absolute error by column, with its interval."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    y = X[:, 0] + rng.normal(size=n)
    before = np.abs(y - predict(X))
    parts = np.zeros((n, 2))
    for _ in range(5):
        order = rng.permutation(n)
        for column in range(2):
            shuffled = X.copy()
            shuffled[:, column] = X[order, column]
            apart = np.abs(y - predict(shuffled)) - before
            parts[:, column] += apart / 5
            parts[order, column] += apart / 5
            parts[:, column] -= apart.mean() / 5
    return (parts.mean(axis=0), *compute_importance_intervals(parts))


def predict_overfitted(X: Floats) -> Floats:
    """Return predictions that follow an irrelevant column."""
    return X[:, 0] + 0.8 * np.sin(9 * X[:, 1])


@pytest.mark.slow
@pytest.mark.parametrize("n", [60, 300])
def test_null_column_is_rarely_significant(n: int) -> None:
    # E|N(0, 1 + 0.32 …)| has no closed form: the truth is estimated from many rows.
    truth = estimate_importance(200_000, 0, predict_overfitted)[0][0]
    runs = [estimate_importance(n, seed, predict_overfitted) for seed in range(1, 201)]
    covered = np.mean([low[0] <= truth <= high[0] for _, low, high in runs])
    null = np.mean([low[1] > 0 for _, low, _ in runs])
    assert covered >= 0.93
    assert null <= 0.025


def test_importance_is_not_significant_for_few_rows() -> None:
    parts = np.zeros((200, 1))
    parts[:3] = 1.0
    low, high = compute_importance_intervals(parts)
    assert low[0] < 0 < high[0]
    parts[:20] = 1.0
    assert compute_importance_intervals(parts)[0][0] > 0


def test_importance_interval_of_groups_shifts_with_contributions() -> None:
    parts, units = np.random.default_rng(0).exponential(size=(200, 2)), np.arange(200) // 15
    before = compute_importance_intervals(parts, units)
    after = compute_importance_intervals(parts + 3.0, units)
    assert np.subtract(after, before) == pytest.approx(3.0)


def test_importance_test_resamples_groups() -> None:
    parts = np.where(np.arange(200) < 60, 1.0, 0.0)[:, None]
    alone, together = (
        compute_importance_intervals(parts),
        compute_importance_intervals(parts, np.arange(200) // 20),
    )
    assert together[1][0] - together[0][0] > 1.5 * (alone[1][0] - alone[0][0])
