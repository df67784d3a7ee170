"""The covariance figures of the thesis (5.2, 5.3, 5.5), checked for 100 points."""

import numpy as np
import pytest

from studio.space.encoding import impute, snap
from studio.space.library import load
from studio.surrogates.kernels.conditional import ConditionalKernel, ConditionalMondrian
from studio.surrogates.kernels.distance import Laplace, SquaredExponential
from studio.surrogates.kernels.mondrian import MondrianKernel

CONDITIONAL = ConditionalKernel.__subclasses__()


@pytest.fixture(scope="module")
def dense():
    """Return 100 dense uniform rows, the choice snapped to its values, sorted by the choice."""
    dense_rows = np.random.default_rng(5).random((100, 4))
    space = load("dummy")
    dense_rows[:, 0] = snap(space, dense_rows)[:, 0]
    return dense_rows[np.argsort(dense_rows[:, 0], kind="stable")]


@pytest.fixture(scope="module")
def rows(dense):
    """Return the dense rows with NaN in inactive coordinates."""
    return snap(load("dummy"), dense)


@pytest.fixture(scope="module")
def imputed(rows):
    """Return the rows with 0.5 in inactive coordinates."""
    return impute(load("dummy"), rows, "middle")


@pytest.fixture(scope="module")
def same_group(rows):
    """Return which pairs have the same choice."""
    return rows[:, :1] == rows[:, 0]


def squared_exponential(X, length):
    """Return exp(-||d||^2 / l) of eq. 5.5; ours has -1/2 ||d||^2 / l_d^2."""
    return SquaredExponential().compute_cross_correlations(
        X, X, np.full((1, 4), np.sqrt(length / 2.0))
    )[0]


def covariance(kernel, rows, X, length):
    """Return a kernel's covariances with zeros between its groups."""
    groups = kernel.find_groups(load("dummy"), rows)
    K = kernel.compute_cross_correlations(X, X, np.full((1, 4), length))[0]
    return np.where(groups[:, None] == groups[None, :], K, 0.0)


def test_figure_5_2_matches_formula_and_imputation_sharpens_blocks(dense, imputed, same_group):
    dense_covariance, right = squared_exponential(dense, 0.5), squared_exponential(imputed, 0.5)
    for K, X in ((dense_covariance, dense), (right, imputed)):
        expected = np.exp(-((X[:, None] - X[None]) ** 2).sum(axis=2) / 0.5)
        np.testing.assert_allclose(K, expected, rtol=1e-12)
        np.testing.assert_array_equal(K, K.T)
        np.testing.assert_array_equal(np.diagonal(K), 1.0)
    # Expected averages of the blocks: E exp(-2 d^2) for the difference of two
    # uniform draws is 0.764, of one draw and 0.5 it is 0.856; choices are 1/3 or 2/3 apart.
    draw_factor, middle = 0.764, 0.856
    groups = [dense[:, 0] == value for value in np.unique(dense[:, 0])]
    for first, second in np.ndindex(3, 3):
        pair = np.ix_(groups[first], groups[second])
        between = np.exp(-2.0 * ((first - second) / 3.0) ** 2)
        assert dense_covariance[pair].mean() == pytest.approx(between * draw_factor**3, abs=0.06)
        by_imputation = draw_factor if first == second else between * middle**2
        assert right[pair].mean() == pytest.approx(by_imputation, abs=0.06)
    # "a higher covariance between samples belonging to the same condition".
    assert (right[same_group] >= dense_covariance[same_group]).all()


def test_figure_5_3_is_block_diagonal(rows, imputed, same_group):
    K = covariance(ConditionalKernel(), rows, imputed, 0.5)
    assert (K[~same_group] == 0.0).all()
    assert (K[same_group] > 0.0).all()
    np.testing.assert_array_equal(K, K.T)
    np.testing.assert_array_equal(np.diagonal(K), 1.0)
    assert np.linalg.eigvalsh(K).min() > -1e-10
    # Eq. 5.10-5.11: the inverse is block diagonal too.
    inverse = np.linalg.inv(K + 1e-3 * np.eye(100))
    assert np.abs(inverse[~same_group]).max() < 1e-9 * np.abs(inverse).max()


@pytest.mark.parametrize("kernel", CONDITIONAL)
def test_conditional_kernels_have_identical_zeros(kernel, rows, imputed, same_group):
    K = covariance(kernel(), rows, imputed, 0.75)
    assert (K[~same_group] == 0.0).all()
    assert (K[same_group] > 0.0).mean() > 0.95
    np.testing.assert_array_equal(K, K.T)
    np.testing.assert_array_equal(np.diagonal(K), 1.0)
    assert np.linalg.eigvalsh(K).min() > -1e-10


def test_figure_5_5_mondrian_approximates_laplace(imputed, same_group):
    length_scales = np.full((1, 4), 0.75)
    laplace = Laplace().compute_cross_correlations(imputed, imputed, length_scales)[0]
    expected = np.exp(-np.abs(imputed[:, None] - imputed[None]).sum(axis=2) / 0.75)
    np.testing.assert_allclose(laplace, expected, rtol=1e-12)
    mondrian = MondrianKernel(trees=30).compute_cross_correlations(imputed, imputed, length_scales)[
        0
    ]
    for K in (laplace, mondrian):
        np.testing.assert_array_equal(K, K.T)
        np.testing.assert_array_equal(np.diagonal(K), 1.0)
        assert K[same_group].mean() > 0.6 > 0.4 > K[~same_group].mean()
    # The deviation of a share of 30 is at most 0.5 / sqrt(30) = 0.09.
    assert np.sqrt(((mondrian - laplace) ** 2).mean()) < 0.1
    assert np.corrcoef(mondrian.ravel(), laplace.ravel())[0, 1] > 0.9
    finer = MondrianKernel(trees=1000).compute_cross_correlations(imputed, imputed, length_scales)[
        0
    ]
    assert np.sqrt(((finer - laplace) ** 2).mean()) < 0.02


def test_conditional_mondrian_equals_mondrian_within_groups(rows, imputed, same_group):
    K = covariance(ConditionalMondrian(), rows, imputed, 0.75)
    plain = MondrianKernel().compute_cross_correlations(imputed, imputed, np.full((1, 4), 0.75))[0]
    np.testing.assert_array_equal(K[same_group], plain[same_group])
