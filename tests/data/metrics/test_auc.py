import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from studio.data.metrics.rankings import Auc


def draw_sample(n_classes: int, seed: int = 3) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    probabilities = rng.dirichlet(np.ones(n_classes), 300).round(2) + 0.001
    return rng.integers(0, n_classes, 300), probabilities / probabilities.sum(axis=1, keepdims=True)


def test_auc_agrees_with_scikit_learn_with_ties():
    truth, probabilities = draw_sample(2)
    expected = 1 - roc_auc_score(truth, probabilities[:, 1])
    assert Auc().compute_loss(truth, probabilities) == pytest.approx(expected)


def test_multiclass_auc_is_one_vs_rest():
    truth, probabilities = draw_sample(5)
    expected = 1 - roc_auc_score(truth, probabilities, multi_class="ovr", average="macro")
    assert Auc().compute_loss(truth, probabilities) == pytest.approx(expected)


def test_auc_skips_classes_without_rows():
    truth, probabilities = draw_sample(3)
    two = truth < 2
    expected = np.mean(
        [1 - roc_auc_score(truth[two] == code, probabilities[two][:, code]) for code in (0, 1)]
    )
    assert Auc().compute_loss(truth[two], probabilities[two]) == pytest.approx(expected)
    assert Auc().compute_loss(np.zeros(4, dtype=int), np.full((4, 2), 0.5)) == 0.5
