import re

import numpy as np
import pytest
from sklearn.utils.class_weight import compute_sample_weight

from studio.data.balance import check_imbalance, choose_default_metric, compute_training_weights


def test_balanced_weights_agree_with_scikit_learn() -> None:
    rng = np.random.default_rng(0)
    y = rng.choice(4, size=200, p=[0.7, 0.2, 0.1, 0.0])
    assert compute_training_weights(None, y, balanced=False) is None
    weights = compute_training_weights(None, y, balanced=True)
    assert weights == pytest.approx(compute_sample_weight("balanced", y))


def test_balanced_classes_have_equal_total_weight() -> None:
    rng = np.random.default_rng(1)
    y = rng.choice(3, size=100, p=[0.8, 0.15, 0.05])
    own = rng.random(100)
    assert compute_training_weights(own, y, balanced=False) is own
    weights = compute_training_weights(own, y, balanced=True)
    assert weights is not None
    totals = np.bincount(y, weights=weights)
    assert totals == pytest.approx(np.full(3, own.sum() / 3))
    assert (weights / own)[y == 2] == pytest.approx((weights / own)[y == 2][0])


@pytest.mark.parametrize(
    ("counts", "metric", "pattern"),
    [
        ([50, 50], None, ""),
        ([75, 25], None, ""),
        ([76, 24], "log-loss", "'c0'.*only 24 %"),
        ([4, 96], "log-loss", "'c1'.*only 4 %"),
        ([96, 2, 2], "balanced-error", "4 %"),
        ([90, 90, 10], None, ""),
        ([100, 90, 10], "balanced-error", "'c0' has 10 times .*'c2'"),
        ([100, 0], None, ""),
    ],
)
def test_metric_is_suggested_for_imbalanced_classes(counts, metric, pattern):
    y = np.repeat(np.arange(len(counts)), counts)
    classes = [f"c{i}" for i in range(len(counts))]
    note = check_imbalance(y, classes, "error")
    if metric is None:
        assert note is None
        return
    assert note.metric == metric
    assert metric not in note.sentence, "it is named once, by its title"
    assert re.search(pattern, note.sentence)
    assert check_imbalance(y, classes, None) == note
    voted = check_imbalance(y, classes, None, is_voting=True)
    assert voted is None or voted.metric == "balanced-error", "votes have no probabilities"
    assert check_imbalance(y, classes, "log-loss") is None


@pytest.mark.parametrize(
    ("task", "counts", "key"),
    [
        ("binary", [76, 24], "log-loss"),
        ("binary", [0, 24, 76], "log-loss"),
        ("binary", [75, 25], "error"),
        ("binary", [30, 0], "error"),
        ("binary", None, "error"),
        ("multiclass", [90, 5, 5], "error"),
        ("regression", None, "rmse"),
    ],
)
def test_default_metric_depends_on_class_balance(task, counts, key):
    assert choose_default_metric(task, None if counts is None else np.array(counts)).key == key


def test_imbalance_check_ignores_regression():
    assert check_imbalance(np.arange(5), (), None) is None
