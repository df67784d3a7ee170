"""The root of the mean squared error."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from studio.arrays import AnyArray, Floats
from studio.data.metrics.base import REGRESSION, Metric, Needs, residuals
from studio.data.metrics.ratios import UNSEEN, Ratios, of_rows
from studio.data.metrics.weighting import mean
from studio.data.tasks import Task


@dataclass(frozen=True)
class Rmse(Metric):
    """The root of the mean squared error."""

    key: ClassVar[str] = "rmse"
    title: ClassVar[str] = "RMSE"
    summary: ClassVar[str] = (
        "The typical size of an error, in the unit of the target. "
        "Large errors weigh more than small ones."
    )
    reference: ClassVar[str] = "root of the mean squared error"
    tasks: ClassVar[tuple[Task, ...]] = REGRESSION
    needs: ClassVar[Needs] = "values"
    unit: ClassVar[str] = "target"

    def loss(self, truth: AnyArray, predictions: AnyArray, weights: Floats | None = None) -> float:
        """Return sqrt(mean (truth − value)²), at least 0, of arrays (n,)."""
        return float(np.sqrt(mean(np.square(residuals(truth, predictions)), weights)))

    def row_losses(self, truth: AnyArray, predictions: AnyArray) -> Floats:
        """Return (truth − value)², shape (n,)."""
        return np.square(residuals(truth, predictions))

    def of_mean(self, means: Floats) -> Floats:
        """Return the root of means, any shape."""
        return np.sqrt(means)

    def ratios(self, truth: AnyArray, predictions: AnyArray, weights: Floats) -> Ratios:
        """Return the weighted mean square; what guesses are wrong by is the target's variance.

        All arrays have shape (n,).
        """
        exact = truth.astype(np.float64)
        guess = mean(np.square(exact - mean(exact, weights)), weights)
        losses = self.row_losses(truth, predictions)
        return of_rows(losses, weights, self.of_mean, worst=guess, beyond=UNSEEN**2)
