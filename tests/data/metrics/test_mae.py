import numpy as np
import pytest
from sklearn.metrics import mean_absolute_error

from studio.data.metrics.absolute_errors import Mae


def test_mae_agrees_with_scikit_learn():
    rng = np.random.default_rng(4)
    truth, values = rng.normal(size=301), rng.normal(size=301)
    assert Mae().compute_loss(truth, values) == pytest.approx(mean_absolute_error(truth, values))


def test_loss_is_computed_in_double_precision():
    truth = np.array([1e9 + 1.0, 1e9 + 2.0, 1e9 + 4.0])
    assert np.isfinite(Mae().compute_loss(truth, truth.astype(np.float32)))
