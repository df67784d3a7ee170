"""Training of Gaussian processes by maximum marginal likelihood, one length scale per column."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import lapack

from studio.arrays import AnyArray, Floats, Integers
from studio.learners.self_replacing_steps import SelfReplacingStep
from studio.surrogates.kernels.distance import DistanceKernel, Matern, SquaredExponential

FIRST_NOISE = math.log(0.1)
"""Initial noise of the optimisation, as log of a share of the target's variance."""

MAX_ITERATIONS = 60
"""Maximum number of L-BFGS steps."""

LENGTHS, AMPLITUDE, NOISE = (-3.0, 7.0), (-4.0, 6.0), (-9.0, 2.0)
"""Bounds of log l_d (standardised columns), log amplitude and log noise (standardised targets)."""

PRIOR_SPREAD = 1.5
"""Standard deviation of the prior of log l_d around that of a typical distance."""

MIN_WEIGHT = 1e-6
"""Minimum weight (of a mean of 1), so that the noise stays finite."""

MAX_EVIDENCE_CLASSES = 5
"""Number of classes used for the hyperparameters: the most frequent ones."""


@dataclass(frozen=True)
class LearnedHyperparameters:
    """Learned hyperparameters: variances of signal and noise, and length scales, shape (d,)."""

    amplitude: float
    noise: float
    length_scales: Floats


class GaussianProcessTraining(SelfReplacingStep):
    """Trains scikit-learn's ``GaussianProcessRegressor``; returns it with a fixed kernel.

    It predicts means only: the factor needed for standard deviations would take memory quadratic in
    the rows and is omitted.

    Classes are learned as their indicators, all with the same hyperparameters. Leave-one-out
    predictions have a closed form (Rasmussen & Williams 2006, eq. 5.12); a logistic regression on
    them converts the means to probabilities.

    Args:
        kernel: Matérn-5/2 or squared exponential, each with a length scale per column.
    """

    def __init__(
        self, *, kernel: str, rows: int, learning_rows: int, is_classification: bool, seed: int
    ) -> None:
        self.smooth = kernel == "rbf"
        self.kernel: DistanceKernel = SquaredExponential() if self.smooth else Matern()
        self.rows, self.learning_rows = rows, learning_rows
        self.is_classification, self.seed = is_classification, seed

    def train(self, X: Floats, y: AnyArray, sample_weight: Floats | None) -> Any:
        """Train on X of shape (n, d), standardised columns, and y of shape (n,).

        A row of weight w is an observation with a w-th of the noise.
        """
        X = np.ascontiguousarray(X, dtype=np.float64)
        order = self._shuffle_rows(y, np.random.default_rng(self.seed))
        used_rows = np.sort(order[: self.rows])
        classes: AnyArray = np.unique(y)
        targets = np.asarray(y)[:, None]
        Y = (targets == classes if self.is_classification else targets).astype(np.float64)
        row_weights = np.ones(len(y)) if sample_weight is None else np.maximum(sample_weight, 0.0)
        row_weights = np.maximum(row_weights / row_weights.mean(), MIN_WEIGHT)
        mean_target = np.average(Y, axis=0, weights=row_weights)
        spread = np.sqrt(np.average(np.square(Y - mean_target), axis=0, weights=row_weights))
        spread[spread == 0.0] = 1.0
        Y = (Y - mean_target) / spread
        learning_rows = order[: min(self.learning_rows, self.rows)]
        evidence_targets = Y[learning_rows][:, self._make_evidence_targets(y)]
        hyperparameters = maximise_evidence(
            self.kernel, X[learning_rows], evidence_targets, row_weights[learning_rows]
        )
        solved_targets, factor = solve_kernel_system(
            self.kernel, X[used_rows], Y[used_rows], hyperparameters, row_weights[used_rows]
        )
        process = self._build_plain_process(
            X[used_rows], Y[used_rows], solved_targets, hyperparameters
        )
        if self.is_classification:
            process._y_train_mean, process._y_train_std = np.zeros(len(classes)), 1.0
            held_out_means = compute_leave_one_out_means(Y[used_rows], solved_targets, factor)
            return _add_probabilities(process, held_out_means, y[used_rows], row_weights[used_rows])
        process.alpha_, process.y_train_ = process.alpha_[:, 0], process.y_train_[:, 0]
        process._y_train_mean, process._y_train_std = float(mean_target[0]), float(spread[0])
        return process

    def _shuffle_rows(self, y: AnyArray, rng: np.random.Generator) -> Integers:
        """Return the rows in random order, (n,), with all classes early on."""
        order = rng.permutation(len(y))
        if not self.is_classification:
            return order
        firsts = np.unique(y[order], return_index=True)[1]
        return np.concatenate([order[firsts], np.delete(order, firsts)])

    def _make_evidence_targets(self, y: AnyArray) -> Integers:
        """Return indices (k,) of the targets, from y (n,), that hyperparameters are fitted to."""
        if not self.is_classification:
            return np.zeros(1, dtype=np.int64)
        counts = np.unique(y, return_counts=True)[1]
        max_classes = MAX_EVIDENCE_CLASSES if len(counts) > 2 else 1
        return np.argsort(-counts, kind="stable")[:max_classes]

    def _build_plain_process(
        self, X: Floats, Y: Floats, solved_targets: Floats, hyperparameters: LearnedHyperparameters
    ) -> Any:
        from sklearn.gaussian_process import GaussianProcessRegressor
        from sklearn.gaussian_process.kernels import RBF, ConstantKernel
        from sklearn.gaussian_process.kernels import Matern as PlainMatern

        scales = hyperparameters.length_scales
        shape = RBF(scales) if self.smooth else PlainMatern(scales, nu=2.5)
        process = GaussianProcessRegressor(
            ConstantKernel(hyperparameters.amplitude) * shape,
            alpha=hyperparameters.noise,
            optimizer=None,
        )
        process.kernel_ = process.kernel
        process.X_train_, process.y_train_, process.alpha_ = X, Y, solved_targets
        process.n_features_in_ = X.shape[1]
        return process


def maximise_evidence(
    kernel: DistanceKernel, X: Floats, Y: Floats, weights: Floats
) -> LearnedHyperparameters:
    """Return the hyperparameters of highest posterior density, by L-BFGS from one start.

    The prior of each log l_d is normal about log √d, where typical rows of standardised columns
    are about a length apart; it stabilises length scales that few rows do not determine.

    Args:
        kernel: Of squared distances.
        X: Shape (n, d).
        Y: Shape (n, k). k standardised targets that share the hyperparameters.
        weights: Shape (n,). About 1.
    """
    from scipy.optimize import minimize

    typical = 0.5 * math.log(max(1, X.shape[1]))
    start = np.concatenate([[0.0, FIRST_NOISE], np.full(X.shape[1], typical)])

    def compute_loss(x: Floats) -> tuple[float, Floats]:
        value, gradient = compute_log_evidence(kernel, X, Y, weights, x)
        deviation = x[2:] - typical
        gradient[2:] -= deviation / PRIOR_SPREAD**2
        return 0.5 * float(deviation @ deviation) / PRIOR_SPREAD**2 - value, -gradient

    optimum = minimize(
        compute_loss,
        start,
        jac=True,
        method="L-BFGS-B",
        bounds=[AMPLITUDE, NOISE] + [LENGTHS] * X.shape[1],
        options={"maxiter": MAX_ITERATIONS},
    )
    return LearnedHyperparameters(
        math.exp(optimum.x[0]), math.exp(optimum.x[1]), np.exp(optimum.x[2:])
    )


def compute_log_evidence(
    kernel: DistanceKernel, X: Floats, Y: Floats, weights: Floats, logs: Floats
) -> tuple[float, Floats]:
    """Return the log marginal likelihood of k targets, up to a constant, and its gradient.

    Rasmussen & Williams 2006, eq. 5.8 and 5.9. Column-wise differences are avoided:
    Σ_ij G_ij (x_id - x_jd)² = 2 Σ_i x_id² Σ_j G_ij - 2 x_dᵀ G x_d for symmetric G, so all slopes
    cost one matrix product.

    Args:
        X, Y: Shape (n, d) and (n, k).
        weights: Shape (n,). Positive.
        logs: Shape (2 + d,). Log amplitude, log noise, log length scales.

    Returns:
        likelihood:
        gradient: Shape (2 + d,).
    """
    size, targets = Y.shape
    amplitude, noise, length_scales = math.exp(logs[0]), math.exp(logs[1]), np.exp(logs[2:])
    scaled = X / length_scales
    r = _compute_distances(kernel, scaled)
    slope = kernel.factor * kernel.compute_derivative(r)
    C = kernel.compute_correlation(r, np.empty_like(r))
    K = amplitude * C
    K.ravel()[:: size + 1] += noise / weights
    factor, failed = lapack.dpotrf(K.T, lower=1, clean=1, overwrite_a=1)
    if failed:
        return -math.inf, np.zeros(len(logs))
    solved_targets, _ = lapack.dpotrs(factor, Y, lower=1)
    value = -0.5 * float((Y * solved_targets).sum()) - targets * float(
        np.log(factor.diagonal()).sum()
    )
    inverse, _ = lapack.dpotri(factor, lower=1, overwrite_c=1)
    inverse += np.tril(inverse, -1).T  # LAPACK fills one triangle; the other one is 0
    gradient_matrix = 0.5 * (solved_targets @ solved_targets.T - targets * inverse)
    G = amplitude * gradient_matrix * slope
    sums = G.sum(axis=1)
    squared_differences = 2.0 * (np.square(scaled).T @ sums) - 2.0 * np.einsum(
        "id,id->d", scaled, G @ scaled
    )
    gradient = np.empty(len(logs))
    gradient[0] = amplitude * float((gradient_matrix * C).sum())
    gradient[1] = noise * float((gradient_matrix.diagonal() / weights).sum())
    gradient[2:] = -2.0 * squared_differences
    return value, gradient


def _compute_distances(kernel: DistanceKernel, scaled: Floats) -> Floats:
    """Return the squared distances of rows, (n, d), times the kernel's factor, (n, n).

    One matrix product replaces a pass over all pairs per column. Its rounding error is far below
    the noise.
    """
    squares = np.einsum("ij,ij->i", scaled, scaled)
    r: Floats = scaled @ scaled.T
    r *= -2.0
    r += squares[:, None]
    r += squares
    np.maximum(r, 0.0, out=r)
    r *= kernel.factor
    return r


def solve_kernel_system(
    kernel: DistanceKernel,
    X: Floats,
    Y: Floats,
    hyperparameters: LearnedHyperparameters,
    weights: Floats,
) -> tuple[Floats, Floats]:
    """Return K⁻¹ Y, shape (n, k), and K's lower Cholesky factor, shape (n, n).

    Args:
        weights: Shape (n,). About 1.
    """
    r = _compute_distances(kernel, X / hyperparameters.length_scales)
    K = kernel.compute_correlation(r, np.empty_like(r))
    K *= hyperparameters.amplitude
    K.ravel()[:: len(X) + 1] += hyperparameters.noise / weights
    # The transpose of a C-ordered symmetric matrix is Fortran-ordered: LAPACK works in place.
    factor, failed = lapack.dpotrf(K.T, lower=1, clean=0, overwrite_a=1)
    assert not failed, "the bound of the noise keeps the matrix positive definite"
    return lapack.dpotrs(factor, Y, lower=1)[0], factor


def compute_leave_one_out_means(Y: Floats, solved_targets: Floats, factor: Floats) -> Floats:
    """Return each row's leave-one-out predictions of its targets, (n, k); overwrites the factor.

    Args:
        Y, solved_targets, factor: The targets, (n, k), and their :func:`posterior`.
    """
    inverse, _ = lapack.dpotri(factor, lower=1, overwrite_c=1)
    predictions: Floats = Y - solved_targets / inverse.diagonal()[:, None]
    return predictions


def _add_probabilities(process: Any, means: Floats, y: AnyArray, weights: Floats) -> Any:
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import Pipeline
    from sklearn.preprocessing import FunctionTransformer

    judge = LogisticRegression(C=10.0, max_iter=1000).fit(means, y, sample_weight=weights)
    transformer = FunctionTransformer(process.predict).fit(process.X_train_[:1])
    return Pipeline([("process", transformer), ("probabilities", judge)])
