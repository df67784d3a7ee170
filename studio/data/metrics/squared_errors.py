"""Metrics of squared errors: RMSE, RMSLE and R²."""

from dataclasses import dataclass

import numpy as np

from studio.arrays import AnyArray, Floats
from studio.data.metrics.base import REGRESSION, Metric, compute_residuals
from studio.data.metrics.ratios import UNSEEN_FACTOR, Ratios, make_row_mean
from studio.data.metrics.weighting import compute_mean
from studio.errors import DataError
from studio.phrases import count_phrase


@dataclass(frozen=True)
class Rmse(Metric):
    """The root of the mean squared error."""

    key = "rmse"
    title = "RMSE"
    summary = (
        "The typical size of an error, in the unit of the target. "
        "Large errors weigh more than small ones."
    )
    reference = "root of the mean squared error"
    tasks = REGRESSION
    prediction_type = "values"
    unit = "target"

    def compute_row_losses(self, truth: AnyArray, predictions: AnyArray) -> Floats:
        """Return (truth − value)², shape (n,)."""
        return np.square(compute_residuals(truth, predictions))

    def transform_mean(self, means: Floats) -> Floats:
        """Return the square root of means, any shape."""
        return np.sqrt(means)

    def compute_ratios(self, truth: AnyArray, predictions: AnyArray, weights: Floats) -> Ratios:
        """Return the weighted mean square; the baseline is the variance of the truth.

        All arrays have shape (n,).
        """
        double_truth = truth.astype(np.float64)
        guess = compute_mean(np.square(double_truth - compute_mean(double_truth, weights)), weights)
        losses = self.compute_row_losses(truth, predictions)
        return make_row_mean(
            losses, weights, self.transform_mean, worst=guess, beyond=UNSEEN_FACTOR**2
        )


@dataclass(frozen=True)
class Rmsle(Rmse):
    """The root of the mean squared error of log(1 + value)."""

    key = "rmsle"
    title = "RMSLE"
    summary = (
        "The typical error of the logarithm of 1 + value: about the error as a share of the value. "
        "For non-negative amounts and counts of very different size."
    )
    reference = "root of the mean squared logarithmic error"
    unit = ""
    plain = False
    log_unit = 1.0

    def find_problem(self, truth: AnyArray) -> str:
        """Return an error message if a true value, of shape (n,), is negative."""
        n_negative = int((truth < 0).sum())
        if not n_negative:
            return ""
        return count_phrase(
            "RMSLE takes the logarithm of 1 + the value to predict, which is below 0 in one row. "
            "Choose the mean absolute error (mae), or RMSE (rmse).",
            "RMSLE takes the logarithm of 1 + the value to predict, which is below 0 in "
            "{count:,} rows. Choose the mean absolute error (mae), or RMSE (rmse).",
            n_negative,
        )

    def compute_row_losses(self, truth: AnyArray, predictions: AnyArray) -> Floats:
        """Return (log(1 + truth) − log(1 + value))², shape (n,), with values clipped at 0.

        Raises:
            DataError: If a true value is below 0.
        """
        if problem := self.find_problem(truth):
            raise DataError(problem)
        values = np.maximum(predictions.astype(np.float64), 0.0)
        squares: Floats = np.square(np.log1p(truth.astype(np.float64)) - np.log1p(values))
        return squares

    def compute_best_constant(
        self, truth: AnyArray, weights: Floats | None, n_classes: int
    ) -> Floats:
        """Return exp(mean log(1 + truth)) − 1 of truth, shape (n,)."""
        return np.array(np.expm1(compute_mean(np.log1p(truth.astype(np.float64)), weights)))

    def compute_ratios(self, truth: AnyArray, predictions: AnyArray, weights: Floats) -> Ratios:
        """Return the weighted mean square of arrays (n,); the baseline is the best constant."""
        guess = self.compute_loss(truth, self.compute_best_constant(truth, weights, 0), weights)
        losses = self.compute_row_losses(truth, predictions)
        return make_row_mean(
            losses, weights, self.transform_mean, worst=guess**2, beyond=UNSEEN_FACTOR**2
        )


@dataclass(frozen=True)
class R2(Metric):
    """The share of unexplained variance."""

    key = "r2"
    title = "1 − R²"
    summary = (
        "The unexplained share of the target's variance. Predicting the mean gives 100 %; worse "
        "predictions give more."
    )
    reference = "one minus the coefficient of determination"
    tasks = REGRESSION
    prediction_type = "values"
    unit = "%"

    def compute_loss(
        self, truth: AnyArray, predictions: AnyArray, weights: Floats | None = None
    ) -> float:
        """Return 1 − R² = Σ(truth − value)² / Σ(truth − mean)², at least 0, of arrays (n,)."""
        double_truth = truth.astype(np.float64)
        squares = compute_mean(np.square(compute_residuals(truth, predictions)), weights)
        spread = compute_mean(
            np.square(double_truth - compute_mean(double_truth, weights)), weights
        )
        if spread == 0.0:
            # As in scikit-learn: a constant truth is only explained by exact predictions.
            return float(squares > 0.0)
        return squares / spread

    def compute_row_losses(self, truth: AnyArray, predictions: AnyArray) -> Floats | None:
        """Return (truth − value)² divided by the variance of the truth, shape (n,).

        The variance is that of the given rows, also for resampled ones.
        """
        variance = float(truth.astype(np.float64).var())
        return (
            None if variance == 0.0 else np.square(compute_residuals(truth, predictions)) / variance
        )

    def compute_ratios(
        self, truth: AnyArray, predictions: AnyArray, weights: Floats
    ) -> Ratios | None:
        """Return squared residuals over squared distances from the mean, arrays of shape (n,).

        To first order, the variance does not depend on the mean of the resampled rows.
        """
        double_truth = truth.astype(np.float64)
        denominators = weights * np.square(double_truth - compute_mean(double_truth, weights))
        numerators = weights * np.square(compute_residuals(truth, predictions))
        if not denominators.any():
            return None
        return Ratios(
            numerators=numerators[None],
            denominators=denominators[None],
            loss=lambda ratios: ratios[..., 0],
            has_errors=np.array([bool(numerators.any())]),
            worst_ratios=np.ones(1),
            max_excess=UNSEEN_FACTOR**2,
            is_estimated=True,
        )
