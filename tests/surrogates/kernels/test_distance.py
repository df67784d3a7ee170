import tracemalloc

import numpy as np
import pytest
from sklearn.gaussian_process.kernels import RBF
from sklearn.gaussian_process.kernels import Matern as SklearnMatern
from sklearn.metrics.pairwise import laplacian_kernel

from studio.surrogates.kernels.conditional import (
    ConditionalKernel,
    ConditionalLaplace,
    ConditionalSquaredExponential,
)
from studio.surrogates.kernels.distance import Laplace, Matern, SquaredExponential

KERNELS = [
    Matern(),
    SquaredExponential(),
    Laplace(),
    ConditionalKernel(),
    ConditionalSquaredExponential(),
    ConditionalLaplace(),
]
LENGTHS = np.array([[0.3, 1.2, 4.0], [0.7, 0.05, 1.0]])


def matrix(gram, log_length_scales):
    return unpacked(gram, gram.compute_packed(log_length_scales))


def unpacked(gram, packed):
    lower = np.tril(gram.packing.unpack_lower(packed))
    return lower + np.tril(lower, -1).T


@pytest.fixture
def points(rng):
    return rng.random((7, 3)), rng.random((5, 3))


@pytest.mark.parametrize(
    ("kernel", "reference"),
    [
        (Matern(), lambda length_scales: SklearnMatern(length_scales, nu=2.5)),
        (SquaredExponential(), RBF),
        (
            Laplace(),
            lambda length_scales: (
                lambda V, X: laplacian_kernel(V / length_scales, X / length_scales, gamma=1.0)
            ),
        ),
    ],
)
def test_correlations_agree_with_scikit_learn(kernel, reference, points):
    X, V = points
    correlations = kernel.compute_cross_correlations(V, X, LENGTHS)
    for model, length_scales in enumerate(LENGTHS):
        np.testing.assert_allclose(correlations[model], reference(length_scales)(V, X), rtol=1e-12)


@pytest.mark.parametrize("kernel", [Matern(), SquaredExponential(), Laplace()])
def test_memory_does_not_grow_with_dimensions(kernel, rng):
    V, X = rng.random((300, 100)), rng.random((200, 100))
    length_scales = np.ones((2, 100))
    kernel.compute_cross_correlations(V[:1], X, length_scales)  # imports are not counted
    tracemalloc.start()
    correlations = kernel.compute_cross_correlations(V, X, length_scales)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 4 * correlations.nbytes


def test_matern_equals_closed_form_in_one_dimension():
    s = np.sqrt(5.0) * 0.4 / 0.8
    correlations = Matern().compute_cross_correlations(
        np.array([[0.1]]), np.array([[0.5]]), np.array([[0.8]])
    )
    assert correlations[0, 0, 0] == pytest.approx((1 + s + s**2 / 3) * np.exp(-s), rel=1e-14)


@pytest.mark.parametrize("kernel", KERNELS)
def test_gram_matrix_equals_self_cross_correlation(kernel, points):
    X, _ = points
    gram = kernel.make_gram(X)
    expected = kernel.compute_cross_correlations(X, X, LENGTHS)
    for model, length_scales in enumerate(LENGTHS):
        np.testing.assert_allclose(matrix(gram, np.log(length_scales)), expected[model], rtol=1e-12)


@pytest.mark.parametrize("kernel", KERNELS)
def test_matrix_slice_equals_matrix_at_length_scale(kernel, points):
    X, _ = points
    gram = kernel.make_gram(X)
    start = np.log(LENGTHS[0])
    along = gram.make_slice(start, 1)
    for value in (-1.0, 0.5, 2.0):
        log_length_scales = start.copy()
        log_length_scales[1] = value
        np.testing.assert_allclose(
            unpacked(gram, along(value)), matrix(gram, log_length_scales), rtol=1e-12
        )


@pytest.mark.parametrize("kernel", KERNELS)
def test_gram_lists_only_varying_dimensions(kernel, points):
    X, _ = points
    X[:, 1] = 0.5
    assert kernel.make_gram(X).dims == (0, 2)
    assert kernel.make_gram(X[:1]).dims == ()
    assert kernel.make_gram(X[:1]).compute_packed(np.zeros(3)).tolist() == [1.0]


@pytest.mark.parametrize("kernel", KERNELS)
def test_slopes_in_log_length_scales_agree_with_finite_differences(kernel, points, rng):
    X, _ = points
    gram, log_length_scales = kernel.make_gram(X), np.log(LENGTHS[0])
    packed = rng.standard_normal(28)
    weights = unpacked(gram, packed)
    expected = np.empty(3)
    for dim in range(3):
        step = np.zeros(3)
        step[dim] = 1e-5
        rise = (matrix(gram, log_length_scales + step) * weights).sum() - (
            matrix(gram, log_length_scales - step) * weights
        ).sum()
        expected[dim] = rise / 2e-5
    np.testing.assert_allclose(
        gram.compute_log_length_gradients(log_length_scales, packed), expected, rtol=1e-6, atol=1e-8
    )


@pytest.mark.parametrize("kernel", KERNELS)
def test_slopes_in_query_agree_with_finite_differences(kernel, points, rng):
    X, V = points
    weights = rng.standard_normal((2, 5, 7))
    expected = np.empty((2, 5, 3))
    for dim in range(3):
        step = np.zeros(3)
        step[dim] = 1e-5
        up, down = (
            kernel.compute_cross_correlations(V + sign * step, X, LENGTHS) for sign in (1, -1)
        )
        expected[:, :, dim] = ((up - down) * weights).sum(axis=2) / 2e-5
    np.testing.assert_allclose(
        kernel.compute_vjp(V, X, LENGTHS, weights), expected, rtol=1e-6, atol=1e-7
    )


def test_slope_at_observation_is_zero():
    X = np.array([[0.2, 0.4]])
    for kernel in KERNELS:
        pulled = kernel.compute_vjp(X, X, np.ones((1, 2)), np.ones((1, 1, 1)))
        assert pulled.tolist() == [[[0.0, 0.0]]]
