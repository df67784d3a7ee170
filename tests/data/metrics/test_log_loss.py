import numpy as np
import pytest
from sklearn.metrics import log_loss

from studio.data.metrics.probabilities import LogLoss


def draw_sample(n_classes: int, seed: int = 3) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    probabilities = rng.dirichlet(np.ones(n_classes), 300).round(2) + 0.001
    return rng.integers(0, n_classes, 300), probabilities / probabilities.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("n_classes", [2, 5])
def test_log_loss_agrees_with_scikit_learn(n_classes):
    truth, probabilities = draw_sample(n_classes)
    expected = log_loss(truth, probabilities, labels=range(n_classes))
    assert LogLoss().compute_loss(truth, probabilities) == pytest.approx(expected)


def test_log_loss_of_certain_mistake_is_finite():
    assert LogLoss().compute_loss(np.array([0]), np.array([[0.0, 1.0]])) == pytest.approx(
        24 * np.log(2)
    )


def test_log_loss_in_half_precision_is_accurate():
    truth, probabilities = draw_sample(4)
    half = LogLoss().compute_loss(truth, probabilities.astype(np.float16))
    assert half == pytest.approx(LogLoss().compute_loss(truth, probabilities), rel=1e-3)
