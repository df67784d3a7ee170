import numpy as np

from studio.ensembles.losses.errors import SquaredError


def test_squared_error_equals_mean_square() -> None:
    assert SquaredError().compute_loss(np.array([1.0, -2.0, 3.0])) == 14 / 3
