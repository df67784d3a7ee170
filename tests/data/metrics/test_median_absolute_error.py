import numpy as np
import pytest
from sklearn.metrics import median_absolute_error

from studio.data.metrics.absolute_errors import MedianAbsoluteError


def test_median_absolute_error_agrees_with_scikit_learn():
    rng = np.random.default_rng(4)
    truth, values = rng.normal(size=301), rng.normal(size=301)
    assert MedianAbsoluteError().compute_loss(truth, values) == pytest.approx(
        median_absolute_error(truth, values)
    )


def test_loss_is_computed_in_double_precision():
    truth = np.array([1e9 + 1.0, 1e9 + 2.0, 1e9 + 4.0])
    assert np.isfinite(MedianAbsoluteError().compute_loss(truth, truth.astype(np.float32)))
