"""The root of the mean squared error."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from studio.arrays import AnyArray, Floats
from studio.data.metrics.base import REGRESSION, Metric, Needs, residuals
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
        """Return sqrt(mean (truth − value)²), at least 0."""
        return float(np.sqrt(mean(np.square(residuals(truth, predictions)), weights)))

    def row_losses(self, truth: AnyArray, predictions: AnyArray) -> Floats:
        """Return (truth − value)²."""
        return np.square(residuals(truth, predictions))

    def of_mean(self, means: Floats) -> Floats:
        """Return the root."""
        return np.sqrt(means)
