"""Intervals of losses and of their differences against exact ones, and their resampling."""

import numpy as np
import pytest
from scipy.stats import beta, binomtest, norm
from scipy.stats import t as t_distribution

from bench.honesty.intervals import coverage
from bench.honesty.populations import METRICS, Population
from studio.data.intervals.loss import (
    compute_difference_interval,
    compute_gap_interval,
    compute_loss_interval,
)
from studio.data.intervals.resampling import MAX_BLOCKS, compute_limits, get_units
from studio.data.metrics.base import Metric
from studio.data.metrics.registry import REGISTRY, get_metric

ERROR = get_metric("error", "binary")
EVERY = pytest.mark.parametrize("metric", [each() for each in REGISTRY], ids=lambda each: each.key)


def make_certain_predictions(labels):
    return np.eye(labels.max() + 1)[labels]


def draw_sample(metric: Metric, n: int, seed: int = 0):
    """Return truth and partly wrong predictions."""
    rng = np.random.default_rng(seed)
    if "regression" in metric.tasks:
        truth = rng.normal(size=n)
        predictions = truth + 0.3 * rng.normal(size=n)
        return (
            (np.exp(truth), np.exp(predictions))
            if metric.find_problem(np.array([-1, 0]))
            else (truth, predictions)
        )
    n_classes = 2 if metric.tasks == ("binary",) else 3
    truth = rng.integers(n_classes, size=n)
    predictions = rng.dirichlet(np.ones(n_classes), size=n) + 0.3 * np.eye(n_classes)[truth]
    return truth, predictions / predictions.sum(axis=1, keepdims=True)


@pytest.mark.parametrize(("wrong", "n"), [(0, 30), (1, 30), (9, 30), (40, 800), (30, 30)])
def test_error_rate_interval_is_clopper_pearson(wrong: int, n: int) -> None:
    truth = np.zeros(n, dtype=int)
    predictions = make_certain_predictions(np.where(np.arange(n) < wrong, 1, 0))
    low, high = compute_loss_interval(ERROR, truth, predictions)
    assert low == pytest.approx(beta.ppf(0.025, wrong, n - wrong + 1) if wrong else 0.0, abs=0.01)
    assert high == pytest.approx(
        beta.ppf(0.975, wrong + 1, n - wrong) if wrong < n else 1, abs=0.01
    )


@pytest.mark.parametrize("n", [114, 1500])
def test_error_rate_interval_depends_on_error_count_only(n: int) -> None:
    truth, position = np.zeros(n, dtype=int), np.arange(n)
    first, second = (
        compute_loss_interval(ERROR, truth, make_certain_predictions(is_wrong.astype(int)))
        for is_wrong in (position < 6, position >= n - 6)
    )
    assert first == second


@EVERY
@pytest.mark.parametrize("n", [20, 1500])
def test_loss_lies_within_its_interval(metric: Metric, n: int) -> None:
    truth, predictions = draw_sample(metric, n)
    weights = np.random.default_rng(1).uniform(1, 9, n)
    weights[:3] = 0.0
    low, high = compute_loss_interval(metric, truth, predictions, weights, units=np.arange(n) // 4)
    assert 0 <= low < metric.compute_loss(truth, predictions, weights) < high


@EVERY
def test_interval_of_perfect_predictions_has_positive_width(metric: Metric) -> None:
    truth = draw_sample(metric, 30)[0]
    predictions = truth if "regression" in metric.tasks else make_certain_predictions(truth)
    weights = np.random.default_rng(1).uniform(1, 9, 30)
    low, high = compute_loss_interval(metric, truth, predictions, weights)
    assert low == 0.0
    # At least half of the rows surely have no error, so the median is known.
    least = 0.01 if "pinball" in metric.key else 0.05  # even for a guess, q·(1 − q) remains
    assert high > least or metric.key == "median-absolute-error"


def test_interval_of_perfect_ranking_excludes_random_ranking() -> None:
    auc = get_metric("auc", "binary")
    truth = (np.arange(100) < 3).astype(int)
    predictions = np.stack([1 - truth, truth], axis=1).astype(float)
    low, high = compute_loss_interval(auc, truth, predictions)
    # Three positive rows are little evidence: the interval is exactly binomial.
    assert (low, high) == (0.0, pytest.approx(beta.ppf(0.975, 1, 3) + 0.01, abs=0.03))
    assert compute_loss_interval(auc, np.zeros(5, dtype=int), predictions[:5]) is None


@EVERY
def test_invalid_predictions_have_no_interval(metric: Metric) -> None:
    truth, predictions = draw_sample(metric, 12)
    predictions = predictions.copy()
    predictions[3] = np.nan
    assert compute_loss_interval(metric, truth, predictions) is None
    assert compute_difference_interval(metric, truth, predictions, predictions) is None


@pytest.mark.slow
def test_interval_of_few_groups_has_nominal_coverage() -> None:
    """Ten groups of two weighted rows: resampling alone covers the true 1 − R² in only 91 %."""
    metric = next(each for each in METRICS if each.key == "r2")
    coverage_result = coverage(metric, Population(0.05, "groups", True), 20, 400)
    assert coverage_result.coverage >= 0.93


@pytest.mark.parametrize("few", [2, 10, 1000])
def test_quantiles_of_few_units_are_widened_by_student_t(few: int) -> None:
    """Hesterberg 2015, section 4.2."""
    tail = norm.cdf(-((few / (few - 1)) ** 0.5) * t_distribution(few - 1).ppf(0.975))
    grid = np.linspace(0, 1, 4001)
    assert compute_limits(grid, grid, few) == pytest.approx((tail, 1 - tail))


@pytest.mark.parametrize(("worse", "better"), [(6, 0), (5, 0), (14, 4), (12, 4), (30, 15)])
def test_difference_of_error_rates_equals_exact_mcnemar(worse: int, better: int) -> None:
    n = 120
    truth = np.zeros(n, dtype=int)
    one = make_certain_predictions(np.where(np.arange(n) < worse, 1, 0))
    other = make_certain_predictions(np.where(np.arange(n) >= n - better, 1, 0))
    low, high = compute_difference_interval(ERROR, truth, one, other)
    decided = binomtest(worse, worse + better).pvalue <= 0.05
    assert (low > 0 or high < 0) == decided
    assert low < (worse - better) / n < high


@EVERY
def test_paired_difference_is_narrower_than_separate_intervals(metric: Metric) -> None:
    truth, predictions = draw_sample(metric, 400)
    rng = np.random.default_rng(3)
    near = predictions + 0.01 * rng.normal(size=predictions.shape)
    low, high = compute_difference_interval(metric, truth, near, predictions)
    alone = compute_loss_interval(metric, truth, predictions)
    assert low <= metric.compute_loss(truth, near) - metric.compute_loss(truth, predictions) <= high
    assert high - low < 0.7 * (alone[1] - alone[0])
    assert compute_difference_interval(metric, truth, predictions, predictions) == (0.0, 0.0)


def test_correlated_rows_count_as_one_unit() -> None:
    groups = np.repeat(np.arange(20), 10)
    truth = np.zeros(200, dtype=int)
    predictions = make_certain_predictions(np.where(groups < 5, 1, 0))
    plain = compute_loss_interval(ERROR, truth, predictions)
    grouped = compute_loss_interval(ERROR, truth, predictions, units=groups)
    one_a_group = compute_loss_interval(ERROR, truth[::10], predictions[::10])
    assert plain[1] - plain[0] < 0.14
    assert grouped == pytest.approx(one_a_group, abs=0.01)
    # The other model fails in one more group, and one group is no evidence.
    other = make_certain_predictions(np.where(groups < 6, 1, 0))
    assert compute_difference_interval(ERROR, truth, other, predictions)[0] > 0
    assert compute_difference_interval(ERROR, truth, other, predictions, units=groups)[0] < 0


def test_equal_differences_of_groups_have_no_spread() -> None:
    """Every group of ten rows has three errors of one model, and two of the other."""
    groups = np.repeat(np.arange(12), 10)
    truth, position = np.zeros(120, dtype=int), np.tile(np.arange(10), 12)
    one, other = (make_certain_predictions(np.where(position < n, 1, 0)) for n in (3, 2))
    by_row = compute_difference_interval(ERROR, truth, one, other)
    by_group = compute_difference_interval(ERROR, truth, one, other, units=groups)
    assert by_row[1] - by_row[0] > 0.1
    assert by_group == pytest.approx((0.1, 0.1))
    # Few groups, or those of a dominant one, may be alike by chance; single rows are no samples.
    for few in (groups // 2, np.maximum(groups, 10), np.arange(120)):
        low, high = compute_difference_interval(ERROR, truth, one, other, units=few)
        assert low < 0.1 < high


def test_interval_resamples_groups_of_split() -> None:
    rows = np.array([0, 2, 4, 6])
    assert get_units(rows) is None
    assert get_units(rows, groups=np.array([7, 0, 7, 0, 3, 0, 3])).tolist() == [1, 1, 0, 0]
    assert get_units(rows, times=np.array([np.nan] * 7)) is None, "rows of a second file"
    assert get_units(rows[:0], groups=np.array([1])) is None
    times = np.random.default_rng(0).permutation(np.arange(2000) // 2).astype(float)
    blocks = get_units(np.arange(2000), times=times)
    assert np.bincount(blocks).tolist() == [2000 // MAX_BLOCKS] * MAX_BLOCKS
    order = np.argsort(times, kind="stable")
    assert (np.diff(blocks[order]) >= 0).all(), "blocks follow each other"
    assert np.unique(get_units(np.arange(25), times=np.arange(25.0))).size == 5


def test_gap_interval_combines_both_uncertainties() -> None:
    low, high = compute_gap_interval(0.1, (0.05, 0.2), 0.3, (0.2, 0.5))
    assert low == pytest.approx(0.2 - np.hypot(0.1, 0.1))
    assert high == pytest.approx(0.2 + np.hypot(0.2, 0.05))
