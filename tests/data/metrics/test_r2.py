import numpy as np
import pytest
from sklearn.metrics import r2_score

from studio.data.metrics.squared_errors import R2


def test_r2_agrees_with_scikit_learn():
    rng = np.random.default_rng(4)
    truth, values = rng.normal(size=301), rng.normal(size=301)
    assert R2().compute_loss(truth, values) == pytest.approx(1 - r2_score(truth, values))


def test_loss_is_computed_in_double_precision():
    truth = np.array([1e9 + 1.0, 1e9 + 2.0, 1e9 + 4.0])
    assert np.isfinite(R2().compute_loss(truth, truth.astype(np.float32)))


def test_r2_of_constant_target_requires_perfect_predictions():
    truth = np.full(4, 3.0)
    assert R2().compute_loss(truth, truth) == 0.0
    assert R2().compute_loss(truth, truth + 1) == 1.0
