"""Thresholds compared with scikit-learn's matrix, and the optimum by enumeration."""

import numpy as np
import pytest
from sklearn import metrics

from studio.analysis.decision import (
    compute_confusion_weights,
    compute_cost_curve,
    find_cheapest_threshold,
    find_threshold_within,
)
from studio.arrays import Flags, Floats
from studio.data.metrics.curves import compute_gains, compute_precision_recall, compute_roc

Rows = tuple[Flags, Floats, Floats]


@pytest.fixture(params=[None, 8], ids=["all scores differ", "tied scores"])
def rows(request: pytest.FixtureRequest) -> Rows:
    rng = np.random.default_rng(11)
    positive = rng.random(120) < 0.25
    scores = np.clip(0.3 * positive + 0.6 * rng.random(120), 0, 1)
    if request.param is not None:
        scores = np.round(scores * request.param) / request.param
    weights = rng.integers(0, 4, 120).astype(np.float64)
    return positive, scores, weights


def test_weighted_curves_agree_with_scikit_learn(rows: Rows) -> None:
    positive, scores, weights = rows
    has_weight = weights > 0  # scikit-learn also returns points of rows without weight
    truth, row_scores, row_weights = positive[has_weight], scores[has_weight], weights[has_weight]
    x, y, _ = metrics.roc_curve(
        truth, row_scores, sample_weight=row_weights, drop_intermediate=False
    )
    ours = compute_roc(positive, scores, weights)
    np.testing.assert_allclose(ours.x, x, atol=1e-12)
    np.testing.assert_allclose(ours.y, y, atol=1e-12)
    assert ours.area == pytest.approx(
        metrics.roc_auc_score(truth, row_scores, sample_weight=row_weights)
    )
    precision, recall, _ = metrics.precision_recall_curve(
        truth, row_scores, sample_weight=row_weights
    )
    ours = compute_precision_recall(positive, scores, weights)
    np.testing.assert_allclose(ours.x, recall[::-1], atol=1e-12)
    np.testing.assert_allclose(ours.y, precision[::-1], atol=1e-12)


@pytest.mark.parametrize("share", [0.05, 0.3, 1.0])
def test_threshold_respects_capacity(rows: Rows, share: float) -> None:
    _, scores, weights = rows
    lowest_threshold = find_threshold_within(share, scores, weights)

    def reach(threshold: float) -> float:
        return float(weights[scores >= threshold].sum() / weights.sum())

    least = min(reach(each) for each in scores)  # of the rows with the highest score
    assert reach(lowest_threshold) <= max(share, least) + 1e-9
    below = scores[scores < lowest_threshold]
    assert not below.size or reach(below.max()) > share, "it is the lowest one"


def test_integer_weights_equal_repeated_rows(rows: Rows) -> None:
    positive, scores, weights = rows
    times = weights.astype(np.int64)
    repeated_positive, repeated_scores = np.repeat(positive, times), np.repeat(scores, times)
    for make in (compute_roc, compute_precision_recall, compute_gains):
        ours, plain = make(positive, scores, weights), make(repeated_positive, repeated_scores)
        np.testing.assert_allclose(ours.x, plain.x, atol=1e-12)
        np.testing.assert_allclose(ours.y, plain.y, atol=1e-12)


def test_gain_curve_equals_recall_by_share_of_rows(rows: Rows) -> None:
    positive, scores, _ = rows
    curve = compute_gains(positive, scores)
    for threshold in np.unique(scores):
        is_selected = scores >= threshold
        index = np.flatnonzero(np.isclose(curve.x, is_selected.mean()))
        assert np.isclose(curve.y[index], (is_selected & positive).sum() / positive.sum()).any()


def test_confusion_cells_agree_with_scikit_learn(rows: Rows) -> None:
    positive, scores, weights = rows
    flagged = scores >= 0.4
    (passed, alarms), (missed, hits) = metrics.confusion_matrix(
        positive, flagged, sample_weight=weights
    )
    assert compute_confusion_weights(positive, flagged, weights) == (hits, missed, alarms, passed)


@pytest.mark.parametrize("costs", [(5.0, 1.0), (1.0, 1.0), (1.0, 20.0)])
def test_cost_optimal_threshold_has_minimum_cost(rows: Rows, costs: tuple[float, float]) -> None:
    positive, scores, weights = rows

    def cost(threshold: float) -> float:
        _, missed, alarms, _ = compute_confusion_weights(positive, scores >= threshold, weights)
        return (costs[0] * missed + costs[1] * alarms) / float(weights.sum())

    cheapest_threshold = find_cheapest_threshold(positive, scores, costs, weights)
    everywhere = np.linspace(0, 1, 1001)
    brute = [cost(threshold) for threshold in everywhere]
    np.testing.assert_allclose(
        compute_cost_curve(positive, scores, everywhere, costs, weights), brute
    )
    assert cost(cheapest_threshold) <= min(brute) + 1e-12
    assert 0 <= cheapest_threshold <= 1


def test_cost_optimal_threshold_prefers_theoretical_value() -> None:
    positive, scores = np.array([False, False, True, True]), np.array([0.0, 0.1, 0.9, 1.0])
    assert find_cheapest_threshold(positive, scores, (3.0, 1.0)) == 0.25
    assert find_cheapest_threshold(positive, scores, (99.0, 1.0)) == 0.5  # 1 % lies below the gap


@pytest.mark.slow
def test_calibrated_probabilities_have_theoretical_threshold() -> None:
    rng = np.random.default_rng(3)
    scores = rng.random(200_000)
    positive = rng.random(200_000) < scores
    assert find_cheapest_threshold(positive, scores, (4.0, 1.0)) == pytest.approx(0.2, abs=0.03)
