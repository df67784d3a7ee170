import numpy as np
import pytest
from sklearn.metrics import brier_score_loss

from studio.data.metrics.probabilities import BrierScore


def draw_sample(n_classes: int, seed: int = 3) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    probabilities = rng.dirichlet(np.ones(n_classes), 300).round(2) + 0.001
    return rng.integers(0, n_classes, 300), probabilities / probabilities.sum(axis=1, keepdims=True)


def test_binary_brier_agrees_with_scikit_learn():
    truth, probabilities = draw_sample(2)
    expected = brier_score_loss(truth, probabilities[:, 1])
    assert BrierScore().compute_loss(truth, probabilities) == pytest.approx(expected)


def test_multiclass_brier_is_half_squared_distance():
    truth, probabilities = draw_sample(4)
    expected = 0.5 * np.mean(np.sum((probabilities - np.eye(4)[truth]) ** 2, axis=1))
    assert BrierScore().compute_loss(truth, probabilities) == pytest.approx(expected)
    assert BrierScore().compute_loss(np.array([0]), np.array([[0.0, 1.0]])) == 1.0
