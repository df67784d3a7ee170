"""The mean absolute percentage error."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from studio.arrays import AnyArray, Floats
from studio.data.metrics.base import REGRESSION, Metric, Needs, residuals
from studio.data.metrics.ratios import UNSEEN, Ratios, of_rows
from studio.data.metrics.weighting import mean, median, row_weights
from studio.data.tasks import Task
from studio.phrases import counted


@dataclass(frozen=True)
class Mape(Metric):
    """The mean size of an error as a share of the true value."""

    key: ClassVar[str] = "mape"
    title: ClassVar[str] = "Mean absolute percentage error"
    summary: ClassVar[str] = (
        "The mean size of an error, in percent of the true value. Too high a prediction costs "
        "more than one that is too low, and values near 0 decide most of it."
    )
    reference: ClassVar[str] = "MAPE; undefined where a true value is 0"
    tasks: ClassVar[tuple[Task, ...]] = REGRESSION
    needs: ClassVar[Needs] = "values"
    unit: ClassVar[str] = "%"
    level: ClassVar[float | None] = 0.5
    plain: ClassVar[bool] = False
    relative: ClassVar[bool] = True

    def refusal(self, truth: AnyArray) -> str:
        """Return a sentence where a true value, of shape (n,), is 0."""
        zeros = int((truth == 0).sum())
        if not zeros:
            return ""
        return counted(
            "The mean absolute percentage error divides by the value to predict, which is 0 in "
            "one row. Choose the mean absolute error (mae), or RMSLE (rmsle).",
            "The mean absolute percentage error divides by the value to predict, which is 0 in "
            "{count:,} rows. Choose the mean absolute error (mae), or RMSLE (rmsle).",
            zeros,
        )

    def loss(self, truth: AnyArray, predictions: AnyArray, weights: Floats | None = None) -> float:
        """Return mean |truth − value| / |truth|, at least 0, of arrays (n,)."""
        return mean(self.row_losses(truth, predictions), weights)

    def row_losses(self, truth: AnyArray, predictions: AnyArray) -> Floats:
        """Return |truth − value| / |truth|, shape (n,)."""
        return np.abs(residuals(truth, predictions)) / _sizes(truth)

    def best_constant(self, truth: AnyArray, weights: Floats | None, n_classes: int) -> Floats:
        """Return the median of truth, shape (n,), in which a row weighs 1 / |truth|."""
        shares = row_weights(weights, len(truth)) / _sizes(truth)
        return np.array(median(truth.astype(np.float64), shares))

    def ratios(self, truth: AnyArray, predictions: AnyArray, weights: Floats) -> Ratios:
        """Return the weighted mean; guesses are the best constant. All arrays have shape (n,)."""
        guess = self.loss(truth, self.best_constant(truth, weights, 0), weights)
        losses = self.row_losses(truth, predictions)
        return of_rows(losses, weights, self.of_mean, worst=guess, beyond=UNSEEN)


def _sizes(truth: AnyArray) -> Floats:
    """Return |truth|, shape (n,), never 0: the smallest divisor is scikit-learn's."""
    sizes: Floats = np.maximum(np.abs(truth.astype(np.float64)), np.finfo(np.float64).eps)
    return sizes
