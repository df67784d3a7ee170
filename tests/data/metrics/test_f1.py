import numpy as np
import pytest
from sklearn.metrics import f1_score

from studio.data.metrics.predicted_classes import MacroF1


def draw_sample(n_classes: int, seed: int = 3) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    probabilities = rng.dirichlet(np.ones(n_classes), 300).round(2) + 0.001
    return rng.integers(0, n_classes, 300), probabilities / probabilities.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("n_classes", [2, 5])
def test_macro_f1_agrees_with_scikit_learn(n_classes):
    truth, probabilities = draw_sample(n_classes)
    expected = 1 - f1_score(truth, probabilities.argmax(axis=1), average="macro")
    assert MacroF1().compute_loss(truth, probabilities) == pytest.approx(expected)


def test_macro_f1_counts_class_without_hits():
    truth, predicted = np.array([0, 0, 1]), np.array([0, 0, 2])
    expected = 1 - f1_score(truth, predicted, average="macro", zero_division=0.0)
    assert MacroF1().compute_loss(truth, np.eye(4)[predicted]) == pytest.approx(expected)
