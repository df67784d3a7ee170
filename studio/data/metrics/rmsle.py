"""The root of the mean squared logarithmic error."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from studio.arrays import AnyArray, Floats
from studio.data.metrics.base import REGRESSION, Metric, Needs
from studio.data.metrics.ratios import UNSEEN, Ratios, of_rows
from studio.data.metrics.weighting import mean
from studio.data.tasks import Task
from studio.errors import DataError
from studio.phrases import counted


@dataclass(frozen=True)
class Rmsle(Metric):
    """The root of the mean squared error of log(1 + value)."""

    key: ClassVar[str] = "rmsle"
    title: ClassVar[str] = "RMSLE"
    summary: ClassVar[str] = (
        "The typical error of the logarithm of 1 + value: about the error as a share of the value. "
        "For amounts and counts of very different size, none below 0."
    )
    reference: ClassVar[str] = "root of the mean squared logarithmic error"
    tasks: ClassVar[tuple[Task, ...]] = REGRESSION
    needs: ClassVar[Needs] = "values"
    plain: ClassVar[bool] = False
    log_unit: ClassVar[float | None] = 1.0

    def refusal(self, truth: AnyArray) -> str:
        """Return a sentence where a true value, of shape (n,), is below 0."""
        below = int((truth < 0).sum())
        if not below:
            return ""
        return counted(
            "RMSLE takes the logarithm of 1 + the value to predict, which is below 0 in one row. "
            "Choose the mean absolute error (mae), or RMSE (rmse).",
            "RMSLE takes the logarithm of 1 + the value to predict, which is below 0 in "
            "{count:,} rows. Choose the mean absolute error (mae), or RMSE (rmse).",
            below,
        )

    def loss(self, truth: AnyArray, predictions: AnyArray, weights: Floats | None = None) -> float:
        """Return sqrt(mean (log(1 + truth) − log(1 + value))²), at least 0, of arrays (n,).

        Raises:
            DataError: If a true value is below 0.
        """
        return float(np.sqrt(mean(self.row_losses(truth, predictions), weights)))

    def row_losses(self, truth: AnyArray, predictions: AnyArray) -> Floats:
        """Return (log(1 + truth) − log(1 + value))², shape (n,); values below 0 count as 0."""
        if words := self.refusal(truth):
            raise DataError(words)
        values = np.maximum(predictions.astype(np.float64), 0.0)
        squares: Floats = np.square(np.log1p(truth.astype(np.float64)) - np.log1p(values))
        return squares

    def of_mean(self, means: Floats) -> Floats:
        """Return the root of means, any shape."""
        return np.sqrt(means)

    def best_constant(self, truth: AnyArray, weights: Floats | None, n_classes: int) -> Floats:
        """Return exp(mean log(1 + truth)) − 1 of truth, shape (n,)."""
        return np.array(np.expm1(mean(np.log1p(truth.astype(np.float64)), weights)))

    def ratios(self, truth: AnyArray, predictions: AnyArray, weights: Floats) -> Ratios:
        """Return the weighted mean square; guesses are the best constant.

        All arrays have shape (n,).
        """
        guess = self.loss(truth, self.best_constant(truth, weights, 0), weights)
        losses = self.row_losses(truth, predictions)
        return of_rows(losses, weights, self.of_mean, worst=guess**2, beyond=UNSEEN**2)
