import numpy as np
import pytest

from studio.errors import SurrogateError
from studio.surrogates.kernels.conditional import ConditionalMondrian
from studio.surrogates.kernels.distance import Laplace
from studio.surrogates.kernels.mondrian import MondrianKernel

LENGTHS = np.array([[0.3, 1.2, 4.0], [0.7, 0.2, 1.0]])


def test_mondrian_kernel_converges_to_laplace(rng):
    X, V = rng.random((20, 3)), rng.random((15, 3))
    limit = Laplace().compute_cross_correlations(V, X, LENGTHS)
    errors = []
    for trees in (10, 100, 1000):
        away = MondrianKernel(trees=trees).compute_cross_correlations(V, X, LENGTHS) - limit
        errors.append(np.sqrt((away**2).mean()))
        # Each entry is a share of `trees` coin flips.
        expected = np.sqrt((limit * (1.0 - limit)).mean() / trees)
        assert errors[-1] == pytest.approx(expected, rel=0.5)
    assert errors[0] > 2.0 * errors[1] > 4.0 * errors[2]


def test_mondrian_covariances_are_consistent(rng):
    X, V = rng.random((25, 3)), rng.random((30, 3))
    kernel = MondrianKernel()
    Z = np.concatenate([X, V])
    K = kernel.compute_cross_correlations(Z, Z, LENGTHS)
    np.testing.assert_array_equal(K, K.transpose(0, 2, 1))
    assert (np.diagonal(K, axis1=1, axis2=2) == 1.0).all()
    assert np.linalg.eigvalsh(K).min() > -1e-12
    np.testing.assert_array_equal(np.rint(30 * K) / 30, K)
    np.testing.assert_array_equal(kernel.compute_cross_correlations(V, X, LENGTHS), K[:, 25:, :25])
    np.testing.assert_array_equal(kernel.prepare_cross(X, LENGTHS)(V), K[:, 25:, :25])
    one = kernel.compute_cross_correlations(V, X, LENGTHS[1:])
    np.testing.assert_array_equal(one[0], K[1, 25:, :25])


def test_hyperparameters_are_fitted_with_laplace_limit(rng):
    X = rng.random((12, 3))
    log_length_scales = np.log(LENGTHS[0])
    for kernel in (MondrianKernel(), ConditionalMondrian()):
        np.testing.assert_array_equal(
            kernel.make_gram(X).compute_packed(log_length_scales),
            Laplace().make_gram(X).compute_packed(log_length_scales),
        )


def test_missing_gradients_error_names_alternative(rng):
    X = rng.random((4, 3))
    with pytest.raises(SurrogateError, match="kernel laplace"):
        MondrianKernel().compute_vjp(X, X, LENGTHS, np.ones((2, 4, 4)))


def test_within_group_conditional_kernel_is_same(rng):
    X = rng.random((9, 3))
    np.testing.assert_array_equal(
        ConditionalMondrian(trees=7).compute_cross_correlations(X, X, LENGTHS),
        MondrianKernel(trees=7).compute_cross_correlations(X, X, LENGTHS),
    )
    np.testing.assert_array_equal(
        ConditionalMondrian(trees=7).prepare_cross(X, LENGTHS)(X),
        MondrianKernel(trees=7).compute_cross_correlations(X, X, LENGTHS),
    )
