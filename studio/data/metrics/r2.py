"""The share of unexplained variance."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from studio.arrays import AnyArray
from studio.data.metrics.base import REGRESSION, Metric, Needs, residuals
from studio.data.tasks import Task


@dataclass(frozen=True)
class R2(Metric):
    """The share of unexplained variance."""

    key: ClassVar[str] = "r2"
    title: ClassVar[str] = "1 − R²"
    summary: ClassVar[str] = (
        "The share of the variance of the target that is left unexplained. "
        "Predicting the mean gives 100 %, worse predictions give more."
    )
    reference: ClassVar[str] = "one minus the coefficient of determination"
    tasks: ClassVar[tuple[Task, ...]] = REGRESSION
    needs: ClassVar[Needs] = "values"
    unit: ClassVar[str] = "%"

    def loss(self, truth: AnyArray, predictions: AnyArray) -> float:
        """Return 1 − R² = Σ(truth − value)² / Σ(truth − mean)², at least 0."""
        squares = float(np.square(residuals(truth, predictions)).sum())
        spread = float(np.square(truth.astype(np.float64) - truth.mean(dtype=np.float64)).sum())
        if spread == 0.0:
            # As scikit-learn: with a constant truth only perfect predictions explain it.
            return float(squares > 0.0)
        return squares / spread
