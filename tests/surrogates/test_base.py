import numpy as np
import pytest

from studio.surrogates.base import Posterior, Surrogate


def test_surrogate_bases_are_abstract():
    with pytest.raises(TypeError, match="abstract"):
        Posterior()
    with pytest.raises(TypeError, match="abstract"):
        Surrogate()


class TwoModels(Posterior):
    """Two models that predict fixed means and variances."""

    best = np.zeros(2)

    def predict(self, V):
        return np.array([[1.0, 0.0], [3.0, 0.0]]), np.array([[4.0, 1.0], [6.0, 9.0]])

    def predict_with_gradients(self, V):
        raise NotImplementedError

    def condition_on(self, V, rng):
        return self


def test_mixture_variance_includes_variance_of_means():
    posterior = TwoModels()
    mean, deviation = posterior.predict_mixture(np.zeros((2, 1)))
    assert mean.tolist() == [2.0, 0.0]
    np.testing.assert_allclose(deviation, np.sqrt([5.0 + 1.0, 5.0]))
    assert posterior.predict_by_model(np.zeros((2, 1))).tolist() == [[1.0, 0.0], [3.0, 0.0]]
