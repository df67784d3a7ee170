import math

import numpy as np
import pytest

from studio.surrogates.chain import Tridiagonal
from studio.surrogates.evidence import NUGGET, Hyperparameters, compute_log_evidence, make_blocks
from studio.surrogates.kernels.distance import Matern

LOG_LENGTH_SCALES = np.log([0.4, 1.5])
GROUPS = np.array([3, 3, 3, 3, 3, 3, 3, 7, 7, 8])


def theta(mean, log_amplitude, log_noise):
    return Hyperparameters(mean, log_amplitude, log_noise, LOG_LENGTH_SCALES)


@pytest.fixture
def blocks(rng):
    return make_blocks(Matern(), rng.random((10, 2)), GROUPS, rng.standard_normal(10))


@pytest.fixture
def reduced(blocks):
    tridiagonal = Tridiagonal(blocks)
    tridiagonal.update(LOG_LENGTH_SCALES)
    return tridiagonal


def test_likelihood_is_computed_per_block(blocks, reduced):
    for point in (theta(0.2, 0.5, -3.0), theta(-0.4, -2.0, -12.0)):
        expected = [compute_log_evidence([block], point) for block in blocks]
        assert reduced.compute_block_likelihoods(point) == pytest.approx(expected, rel=1e-9)


def test_likelihood_differs_from_evidence_by_constant(blocks, reduced):
    points = [(0.5, -3.0), (-2.0, -12.0), (3.0, 1.0)]
    residuals = reduced.compute_residuals(0.2)
    likelihoods = np.array([reduced.log_likelihood(a, noise, residuals) for a, noise in points])
    expected = np.array([compute_log_evidence(blocks, theta(0.2, a, noise)) for a, noise in points])
    np.testing.assert_allclose(np.diff(likelihoods), np.diff(expected), rtol=1e-9)


def test_moments_of_mean_agree_with_covariance_matrix(blocks, reduced):
    ones_ones = ones_y = 0.0
    for block in blocks:
        K = (
            1.7
            * Matern().compute_cross_correlations(
                block.X, block.X, np.exp(LOG_LENGTH_SCALES)[None, :]
            )[0]
        )
        K += (0.05 + 1.7 * NUGGET) * np.eye(len(K))
        ones_ones += np.linalg.solve(K, np.ones(len(K))).sum()
        ones_y += np.linalg.solve(K, block.targets).sum()
    moments = reduced.compute_mean_moments(math.log(1.7), math.log(0.05))
    assert moments == pytest.approx((ones_ones, ones_y), rel=1e-9)


def test_tridiagonal_likelihood_follows_length_scales(blocks, reduced):
    hyperparameters = Hyperparameters(0.0, 0.0, -3.0, np.array([1.0, -1.0]))
    reduced.update(hyperparameters.log_length_scales)
    assert sum(reduced.compute_block_likelihoods(hyperparameters)) == pytest.approx(
        compute_log_evidence(blocks, hyperparameters), rel=1e-9
    )


def test_likelihood_without_observations_is_constant():
    empty = Tridiagonal([])
    empty.update(LOG_LENGTH_SCALES)
    assert empty.compute_block_likelihoods(theta(0.0, 0.0, 0.0)) == []
    assert empty.log_likelihood(1.0, 2.0, empty.compute_residuals(0.0)) == 0.0
    assert empty.mean_support == (0.0, 0.0)
