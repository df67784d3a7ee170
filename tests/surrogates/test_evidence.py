import math
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, WhiteKernel
from sklearn.gaussian_process.kernels import Matern as SklearnMatern

from studio.surrogates.evidence import (
    NUGGET,
    Hyperparameters,
    compute_log_evidence,
    log_likelihood,
    make_blocks,
    make_length_likelihood,
    maximise_over_mean,
)
from studio.surrogates.kernels.base import PackedTriangle
from studio.surrogates.kernels.distance import Matern
from studio.surrogates.kernels.registry import REGISTRY as KERNELS

THETA = Hyperparameters(0.2, math.log(1.7), math.log(0.05), np.log([0.4, 1.5]))


@pytest.fixture
def observed(rng):
    return rng.random((12, 2)), rng.standard_normal(12)


def covariance(X, theta):
    K = (
        Matern().compute_cross_correlations(X, X, np.exp(theta.log_length_scales)[None, :])[0]
        * theta.amplitude
    )
    return K + (math.exp(theta.log_noise) + NUGGET * theta.amplitude) * np.eye(len(X))


def one_block(X, y):
    return make_blocks(Matern(), X, np.zeros(len(X), dtype=np.int64), y)


def test_evidence_equals_log_density_of_observations(observed):
    X, y = observed
    expected = stats.multivariate_normal(np.full(12, THETA.mean), covariance(X, THETA)).logpdf(y)
    assert compute_log_evidence(one_block(X, y), THETA) == pytest.approx(expected, rel=1e-10)


def test_evidence_agrees_with_scikit_learn(observed):
    X, y = observed
    kernel = ConstantKernel(THETA.amplitude) * SklearnMatern([0.4, 1.5], nu=2.5)
    kernel += WhiteKernel(THETA.observation_noise)
    reference = GaussianProcessRegressor(kernel, alpha=0.0, optimizer=None).fit(X, y - THETA.mean)
    expected = reference.log_marginal_likelihood_value_
    assert compute_log_evidence(one_block(X, y), THETA) == pytest.approx(expected, rel=1e-10)


def test_block_evidences_sum_to_block_diagonal_evidence(observed):
    X, y = observed
    groups = np.array([7, 3, 3, 7, 7, 5, 3, 5, 7, 3, 3, 7])
    K = np.where(groups[:, None] == groups, covariance(X, THETA), 0.0)
    expected = stats.multivariate_normal(np.full(12, THETA.mean), K).logpdf(y)
    blocks = make_blocks(Matern(), X, groups, y)
    assert [block.group for block in blocks] == [3, 5, 7]
    assert compute_log_evidence(blocks, THETA) == pytest.approx(expected, rel=1e-10)


def test_evidence_slice_along_length_scale_agrees(observed):
    (block,) = one_block(*observed)
    function = make_length_likelihood(block, THETA, 1)
    for value in (-0.7, 1.0):
        hyperparameters = Hyperparameters(
            THETA.mean,
            THETA.log_amplitude,
            THETA.log_noise,
            np.array([THETA.log_length_scales[0], value]),
        )
        assert function(value) == pytest.approx(
            compute_log_evidence([block], hyperparameters), rel=1e-10
        )


@pytest.mark.parametrize("kernel", KERNELS)
def test_best_mean_is_optimal_and_gradients_are_exact(observed, kernel):
    X, y = observed
    blocks = make_blocks(kernel(), X, np.repeat([0, 1], 6), y)
    point = np.array([THETA.log_amplitude, THETA.log_noise, *THETA.log_length_scales])

    def value(x):
        return maximise_over_mean(blocks, x[0], x[1], x[2:])[0]

    best_evidence, mean, gradient = maximise_over_mean(blocks, point[0], point[1], point[2:])
    for other in (mean - 0.01, mean + 0.01):
        assert best_evidence > compute_log_evidence(
            blocks, Hyperparameters(other, point[0], point[1], point[2:])
        )
    at_mean = Hyperparameters(mean, point[0], point[1], point[2:])
    assert best_evidence == pytest.approx(compute_log_evidence(blocks, at_mean), rel=1e-12)
    steps = 1e-5 * np.eye(4)
    expected = [(value(point + step) - value(point - step)) / 2e-5 for step in steps]
    np.testing.assert_allclose(gradient, expected, rtol=1e-5, atol=1e-7)


def test_non_positive_definite_matrix_has_no_likelihood():
    packing = PackedTriangle.make(2)
    broken = np.where(packing.rows == packing.columns, 1.0, 2.0)
    assert log_likelihood(packing, 1.0, 0.0, np.zeros(2))(broken) == -math.inf


def test_repeated_inputs_have_finite_likelihood_without_noise():
    X = np.full((5, 2), 0.3)
    theta = Hyperparameters(0.0, 0.0, math.log(1e-10), np.zeros(2))
    assert math.isfinite(compute_log_evidence(one_block(X, np.zeros(5)), theta))


def test_large_block_is_represented_by_subset_with_minimum(observed):
    X, y = observed
    (block,) = one_block(X, y)
    assert block.select_representatives(12) is block
    few = block.select_representatives(5)
    assert few.X.shape == (5, 2)
    assert few.targets.min() == y.min()
    assert few.gram.packing.size == 5
    for row, target in zip(few.X, few.targets, strict=True):
        (index,) = np.flatnonzero((row == X).all(axis=1))
        assert y[index] == target


def test_singular_block_has_zero_likelihood_and_gradient():
    packing = PackedTriangle.make(2)
    packed = np.where(packing.rows == packing.columns, 1.0, 2.0)
    gram = SimpleNamespace(packing=packing, compute_packed=lambda log_length_scales: packed.copy())
    block = SimpleNamespace(gram=gram, targets=np.zeros(2))
    value, mean, gradient = maximise_over_mean([block], 0.0, -9.0, np.zeros(3))
    assert (value, mean) == (-math.inf, 0.0)
    assert gradient.tolist() == [0.0] * 5


def test_best_mean_and_gradients_without_observations_are_zero():
    value, mean, gradient = maximise_over_mean([], 0.0, 0.0, np.zeros(3))
    assert (value, mean, gradient.tolist()) == (0.0, 0.0, [0.0] * 5)
