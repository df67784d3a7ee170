import numpy as np
import pytest
from sklearn.metrics import accuracy_score

from studio.data.metrics.predicted_classes import ErrorRate


def draw_sample(n_classes: int, seed: int = 3) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    probabilities = rng.dirichlet(np.ones(n_classes), 300).round(2) + 0.001
    return rng.integers(0, n_classes, 300), probabilities / probabilities.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("n_classes", [2, 5])
def test_error_agrees_with_scikit_learn(n_classes):
    truth, probabilities = draw_sample(n_classes)
    expected = 1 - accuracy_score(truth, probabilities.argmax(axis=1))
    assert ErrorRate().compute_loss(truth, probabilities) == pytest.approx(expected)


def test_tied_probabilities_predict_first_class():
    assert ErrorRate().compute_loss(np.array([0, 1]), np.array([[0.5, 0.5], [0.5, 0.5]])) == 0.5
