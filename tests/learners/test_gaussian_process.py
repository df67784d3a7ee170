"""Gaussian process learners: gradients, closed forms, and comparison with scikit-learn."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from sklearn.gaussian_process import GaussianProcessRegressor as Reference
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

from studio.learners.gaussian_process_training import (
    GaussianProcessTraining,
    LearnedHyperparameters,
    compute_leave_one_out_means,
    compute_log_evidence,
    solve_kernel_system,
)
from studio.surrogates.kernels.distance import Matern, SquaredExponential


def rows(n=40, d=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, np.stack([np.sin(X[:, 0]), X[:, 1] - X[:, 0]], axis=1)


@pytest.mark.parametrize("kernel", [Matern(), SquaredExponential()])
def test_evidence_gradient_agrees_with_finite_differences(kernel):
    X, Y = rows()
    logs = np.array([0.3, -1.5, 0.2, 0.5, 1.1])
    weights = np.linspace(0.5, 1.5, 40)
    _, gradient = compute_log_evidence(kernel, X, Y, weights, logs)
    nearly = approx_fprime(logs, lambda x: compute_log_evidence(kernel, X, Y, weights, x)[0], 1e-6)
    np.testing.assert_allclose(gradient, nearly, rtol=1e-4, atol=1e-4)


def test_evidence_agrees_with_scikit_learn():
    X, Y = rows()
    logs = np.array([0.3, -1.5, 0.2, 0.5, 1.1])
    kernel = ConstantKernel(np.exp(0.3)) * RBF(np.exp(logs[2:])) + WhiteKernel(np.exp(-1.5))
    other = sum(
        Reference(kernel, optimizer=None, alpha=0.0).fit(X, y).log_marginal_likelihood_value_
        for y in Y.T
    )
    constant = 0.5 * Y.size * np.log(2 * np.pi)
    assert compute_log_evidence(SquaredExponential(), X, Y, np.ones(40), logs)[
        0
    ] - constant == pytest.approx(other)


def test_leave_one_out_prediction_equals_refit():
    X, Y = rows(20)
    learned = LearnedHyperparameters(1.3, 0.2, np.array([1.0, 2.0, 0.5]))
    left_out = compute_leave_one_out_means(
        Y, *solve_kernel_system(Matern(), X, Y, learned, np.ones(20))
    )
    others = np.arange(1, 20)
    solved, _ = solve_kernel_system(Matern(), X[others], Y[others], learned, np.ones(19))
    cross = (
        learned.amplitude
        * Matern().compute_cross_correlations(X[:1], X[others], learned.length_scales[None])[0]
    )
    np.testing.assert_allclose(left_out[:1], cross @ solved)


def test_prediction_with_weight_two_equals_repeated_rows():
    X, Y = rows(12)
    learned = LearnedHyperparameters(1.0, 0.3, np.ones(3))
    twice = np.concatenate([X, X[:4]])
    solved, _ = solve_kernel_system(
        Matern(), twice, np.concatenate([Y, Y[:4]]), learned, np.ones(16)
    )
    weights = np.where(np.arange(12) < 4, 2.0, 1.0)
    weighed, _ = solve_kernel_system(Matern(), X, Y, learned, weights)
    new = rows(5, seed=9)[0]
    np.testing.assert_allclose(
        Matern().compute_cross_correlations(new, twice, np.ones((1, 3)))[0] @ solved,
        Matern().compute_cross_correlations(new, X, np.ones((1, 3)))[0] @ weighed,
    )


@pytest.mark.slow
@pytest.mark.parametrize("kernel", ["matern", "rbf"])
def test_gaussian_process_finds_relevant_column(kernel):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 5))
    y = 1e6 + 10.0 * np.sin(2 * X[:, 2])
    options = {"kernel": kernel, "rows": 3000, "learning_rows": 300, "seed": 0}
    process = GaussianProcessTraining(is_classification=False, **options).train(X, y, None)
    assert process.kernel_.k2.length_scale.argmin() == 2
    new = rng.normal(size=(50, 5))
    assert np.abs(process.predict(new) - (1e6 + 10.0 * np.sin(2 * new[:, 2]))).mean() < 0.5
    judge = GaussianProcessTraining(is_classification=True, **options).train(
        X, (y > 1e6).astype(int), None
    )
    probabilities = judge.predict_proba(new)
    assert np.mean((probabilities[:, 1] > 0.5) == (np.sin(2 * new[:, 2]) > 0)) > 0.9
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
