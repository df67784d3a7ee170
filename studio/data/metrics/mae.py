"""The mean absolute error."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from studio.arrays import AnyArray, Floats
from studio.data.metrics.base import REGRESSION, Constant, Metric, Needs, residuals
from studio.data.metrics.ratios import UNSEEN, Ratios, of_rows
from studio.data.metrics.weighting import mean, median
from studio.data.tasks import Task


@dataclass(frozen=True)
class Mae(Metric):
    """The mean absolute error."""

    key: ClassVar[str] = "mae"
    title: ClassVar[str] = "Mean absolute error"
    summary: ClassVar[str] = (
        "The mean size of an error, in the unit of the target. Every unit of error weighs the same."
    )
    reference: ClassVar[str] = "mean absolute error"
    tasks: ClassVar[tuple[Task, ...]] = REGRESSION
    needs: ClassVar[Needs] = "values"
    unit: ClassVar[str] = "target"
    level: ClassVar[float | None] = 0.5
    constant: ClassVar[Constant] = "median"

    def loss(self, truth: AnyArray, predictions: AnyArray, weights: Floats | None = None) -> float:
        """Return mean |truth − value|, at least 0, of arrays (n,)."""
        return mean(np.abs(residuals(truth, predictions)), weights)

    def row_losses(self, truth: AnyArray, predictions: AnyArray) -> Floats:
        """Return |truth − value|, shape (n,)."""
        return np.abs(residuals(truth, predictions))

    def best_constant(self, truth: AnyArray, weights: Floats | None, n_classes: int) -> Floats:
        """Return the median of truth, shape (n,)."""
        return np.array(median(truth.astype(np.float64), weights))

    def ratios(self, truth: AnyArray, predictions: AnyArray, weights: Floats) -> Ratios:
        """Return the weighted mean; what guesses are wrong by is measured from the median.

        All arrays have shape (n,).
        """
        guess = self.loss(truth, self.best_constant(truth, weights, 0), weights)
        losses = self.row_losses(truth, predictions)
        return of_rows(losses, weights, self.of_mean, worst=guess, beyond=UNSEEN)
