"""Losses at the limits of their definitions; tables of all metrics are in the other files."""

import numpy as np
import pytest
from sklearn.metrics import f1_score, roc_auc_score

from studio.data.metrics.registry import get_metric, get_metrics


def compute_loss(key: str, truth: object, predictions: np.ndarray) -> float:
    return get_metric(key, "multiclass").compute_loss(np.array(truth), predictions)


def draw_sample(n_classes: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    return rng.integers(0, n_classes, 300), rng.dirichlet(np.ones(n_classes), 300)


def test_multiclass_auc_is_one_vs_rest():
    truth, probabilities = draw_sample(5)
    expected = 1 - roc_auc_score(truth, probabilities, multi_class="ovr", average="macro")
    assert compute_loss("auc", truth, probabilities) == pytest.approx(expected)


def test_classes_without_rows_are_skipped():
    truth, probabilities = draw_sample(3)
    two = truth < 2
    expected = np.mean(
        [1 - roc_auc_score(truth[two] == code, probabilities[two][:, code]) for code in (0, 1)]
    )
    assert compute_loss("auc", truth[two], probabilities[two]) == pytest.approx(expected)
    assert compute_loss("auc", [0] * 4, np.full((4, 2), 0.5)) == 0.5
    assert compute_loss("balanced-error", [0, 0, 1], np.eye(3)[[0, 2, 1]]) == pytest.approx(0.25)


def test_macro_f1_counts_class_without_hits():
    truth, predicted = [0, 0, 1], [0, 0, 2]
    expected = 1 - f1_score(truth, predicted, average="macro", zero_division=0.0)
    assert compute_loss("f1-macro", truth, np.eye(4)[predicted]) == pytest.approx(expected)


def test_certain_mistake_has_finite_loss():
    certain = np.array([[0.0, 1.0]])
    assert compute_loss("brier", [0], certain) == 1.0
    assert compute_loss("log-loss", [0], certain) == pytest.approx(24 * np.log(2))


def test_tied_probabilities_predict_first_class():
    assert compute_loss("error", [0, 1], np.full((2, 2), 0.5)) == 0.5


def test_log_loss_in_half_precision_is_accurate():
    truth, probabilities = draw_sample(4)
    half = compute_loss("log-loss", truth, probabilities.astype(np.float16))
    assert half == pytest.approx(compute_loss("log-loss", truth, probabilities), rel=1e-3)


@pytest.mark.parametrize("metric", get_metrics("regression"), ids=lambda metric: metric.key)
def test_loss_is_computed_in_double_precision(metric):
    truth = np.array([1e9 + 1.0, 1e9 + 2.0, 1e9 + 4.0])
    values = truth.astype(np.float32)
    expected = metric().compute_loss(truth, values.astype(np.float64))
    assert metric().compute_loss(truth, values) == expected > 0


def test_r2_of_constant_target_requires_perfect_predictions():
    truth, r2 = np.full(4, 3.0), get_metric("r2", "regression")
    assert r2.compute_loss(truth, truth) == 0.0
    assert r2.compute_loss(truth, truth + 1) == 1.0
