"""The median absolute error."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from studio.arrays import AnyArray, Floats
from studio.data.metrics.base import REGRESSION, Metric, Needs, residuals
from studio.data.metrics.weighting import median
from studio.data.tasks import Task


@dataclass(frozen=True)
class MedianAbsoluteError(Metric):
    """The median absolute error."""

    key: ClassVar[str] = "median-absolute-error"
    title: ClassVar[str] = "Median absolute error"
    summary: ClassVar[str] = (
        "Half of the rows are predicted better than this, in the unit of the target. "
        "A few wild errors do not matter."
    )
    reference: ClassVar[str] = "median absolute error"
    tasks: ClassVar[tuple[Task, ...]] = REGRESSION
    needs: ClassVar[Needs] = "values"
    unit: ClassVar[str] = "target"

    def loss(self, truth: AnyArray, predictions: AnyArray, weights: Floats | None = None) -> float:
        """Return the median of |truth − value|, at least 0."""
        return median(np.abs(residuals(truth, predictions)), weights)
