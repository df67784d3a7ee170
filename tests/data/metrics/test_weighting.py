"""Every metric with weights, compared with scikit-learn and with repeated rows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as reference

from studio.data.metrics.base import WeightedMetric
from studio.data.metrics.registry import REGISTRY, get_metric
from studio.data.metrics.weighting import compute_median
from studio.errors import DataError


def classes(n_classes: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(n_classes)
    scores = rng.dirichlet(np.ones(n_classes), 200).round(2) + 0.001
    truth = rng.integers(0, n_classes, 200)
    return truth, scores / scores.sum(axis=1, keepdims=True), rng.gamma(1.0, size=200)


def auc(truth, scores, weights):
    if scores.shape[1] == 2:
        return 1 - reference.roc_auc_score(truth, scores[:, 1], sample_weight=weights)
    # scikit-learn does not support weights for multiple classes; one versus rest is defined.
    return np.mean(
        [
            1 - reference.roc_auc_score(truth == code, scores[:, code], sample_weight=weights)
            for code in range(scores.shape[1])
        ]
    )


def brier(truth, scores, weights):
    squares = np.square(scores - np.eye(scores.shape[1])[truth]).sum(axis=1)
    if scores.shape[1] == 2:
        expected = reference.brier_score_loss(truth, scores[:, 1], sample_weight=weights)
        assert expected == pytest.approx(np.average(squares, weights=weights) / 2)
    return np.average(squares, weights=weights) / 2


REFERENCES = {
    "error": lambda t, p, w: 1 - reference.accuracy_score(t, p.argmax(axis=1), sample_weight=w),
    "balanced-error": lambda t, p, w: (
        1 - reference.balanced_accuracy_score(t, p.argmax(axis=1), sample_weight=w)
    ),
    "log-loss": lambda t, p, w: reference.log_loss(t, p, sample_weight=w),
    "auc": auc,
    "f1-macro": lambda t, p, w: (
        1 - reference.f1_score(t, p.argmax(axis=1), average="macro", sample_weight=w)
    ),
    "brier": brier,
    "rmse": lambda t, p, w: reference.root_mean_squared_error(t, p, sample_weight=w),
    "mae": lambda t, p, w: reference.mean_absolute_error(t, p, sample_weight=w),
    "r2": lambda t, p, w: 1 - reference.r2_score(t, p, sample_weight=w),
    "median-absolute-error": lambda t, p, w: reference.median_absolute_error(t, p, sample_weight=w),
    "average-precision": lambda t, p, w: (
        1 - reference.average_precision_score(t, p[:, 1], sample_weight=w)
    ),
    "mcc": lambda t, p, w: 1 - reference.matthews_corrcoef(t, p.argmax(axis=1), sample_weight=w),
    "mape": lambda t, p, w: reference.mean_absolute_percentage_error(t, p, sample_weight=w),
    "rmsle": lambda t, p, w: reference.root_mean_squared_log_error(t, p, sample_weight=w),
    "pinball-0.1": lambda t, p, w: reference.mean_pinball_loss(t, p, sample_weight=w, alpha=0.1),
    "pinball-0.9": lambda t, p, w: reference.mean_pinball_loss(t, p, sample_weight=w, alpha=0.9),
}


@pytest.mark.parametrize("metric", REGISTRY, ids=lambda metric: metric.key)
@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("weighted", [True, False])
def test_weighted_metrics_agree_with_scikit_learn(metric, n_classes, weighted):
    if metric.tasks == ("binary",) and n_classes > 2:
        pytest.skip("It is for two classes.")
    truth, predictions, weights = classes(n_classes)
    if "regression" in metric.tasks:
        rng = np.random.default_rng(n_classes)
        truth, predictions = rng.gamma(1.0, size=(2, 199 + n_classes % 4 // 2))
        weights = rng.gamma(1.0, size=len(truth))
    given_weights = weights if weighted else None
    expected = REFERENCES[metric.key](truth, predictions, given_weights)
    assert metric().compute_loss(truth, predictions, given_weights) == pytest.approx(expected)


@pytest.mark.slow
@settings(max_examples=30)
@given(st.lists(st.integers(0, 3), min_size=30, max_size=30).filter(any), st.integers(0, 99))
def test_loss_with_integer_weights_equals_repeated_rows(counts, seed):
    rng = np.random.default_rng(seed)
    weights = np.array(counts, dtype=float)
    for metric in REGISTRY:
        truth, predictions = rng.integers(0, 3, 30), rng.dirichlet(np.ones(3), 30).round(1)
        if "regression" in metric.tasks:
            truth, predictions = rng.gamma(2.0, size=(2, 30)).round(1) + 0.1
        rows = np.repeat(np.arange(30), counts)
        repeated = metric().compute_loss(truth[rows], predictions[rows])
        assert metric().compute_loss(truth, predictions, weights) == pytest.approx(repeated), (
            metric.key
        )


def test_metrics_need_positive_weights():
    for metric in REGISTRY:
        truth = np.array([1, 0, 1])
        predictions = np.eye(2)[truth] if "binary" in metric.tasks else truth.astype(float)
        with pytest.raises(DataError, match="have weight 0"):
            metric().compute_loss(truth, predictions, np.zeros(3))


def test_weighted_median_splits_weight_in_half():
    values = np.array([5.0, 1.0, 3.0, 2.0])
    assert compute_median(values, np.array([1.0, 1.0, 1.0, 1.0])) == 2.5
    assert compute_median(values, np.array([0.0, 2.0, 0.0, 2.0])) == 1.5
    assert compute_median(values, np.array([7.0, 1.0, 1.0, 1.0])) == 5.0


def test_weights_can_reverse_ranking_of_models():
    truth = np.array([0, 1])
    first, second = np.eye(2)[[0, 0]], np.eye(2)[[1, 1]]
    error = get_metric("error", "binary")
    assert error.compute_loss(truth, first) == error.compute_loss(truth, second) == 0.5
    weights = np.array([3.0, 1.0])
    assert error.compute_loss(truth, first, weights) == 0.25
    assert error.compute_loss(truth, second, weights) == 0.75


@pytest.mark.parametrize("metric", [each for each in REGISTRY if "regression" not in each.tasks])
def test_integer_weights_equal_repeated_rows(metric) -> None:
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 2, 50)
    predicted = rng.random((50, 2)).astype(np.float16)
    weights = rng.integers(0, 4, 50)
    repeated = np.repeat(np.arange(50), weights)
    plain = metric()
    expected = plain.compute_loss(truth[repeated], predicted[repeated])
    assert plain.compute_loss(truth, predicted, weights.astype(float)) == pytest.approx(expected)
    bound = WeightedMetric(plain, truth, weights.astype(float))
    assert bound(truth, predicted) == pytest.approx(expected)
    assert bound.prediction_type == plain.prediction_type
    assert bound(truth.copy(), predicted) == plain(truth, predicted)
    rows = bound.compute_row_losses(truth, predicted)
    if rows is not None:
        weighed = np.average(rows, weights=weights)
        assert bound.transform_mean(np.array([weighed]))[0] == pytest.approx(expected)
