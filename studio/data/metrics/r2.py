"""The share of unexplained variance."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from studio.arrays import AnyArray, Floats
from studio.data.metrics.base import REGRESSION, Metric, Needs, residuals
from studio.data.metrics.ratios import UNSEEN, Ratios
from studio.data.metrics.weighting import mean
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

    def loss(self, truth: AnyArray, predictions: AnyArray, weights: Floats | None = None) -> float:
        """Return 1 − R² = Σ(truth − value)² / Σ(truth − mean)², at least 0.

        All arrays have shape (n,).
        """
        exact = truth.astype(np.float64)
        squares = mean(np.square(residuals(truth, predictions)), weights)
        spread = mean(np.square(exact - mean(exact, weights)), weights)
        if spread == 0.0:
            # As scikit-learn: with a constant truth only perfect predictions explain it.
            return float(squares > 0.0)
        return squares / spread

    def row_losses(self, truth: AnyArray, predictions: AnyArray) -> Floats | None:
        """Return (truth − value)² over the variance of the truth, also when rows are resampled.

        Shape (n,).
        """
        variance = float(truth.astype(np.float64).var())
        return None if variance == 0.0 else np.square(residuals(truth, predictions)) / variance

    def ratios(self, truth: AnyArray, predictions: AnyArray, weights: Floats) -> Ratios | None:
        """Return squared residuals over squared distances from the mean, arrays of shape (n,).

        To first order the mean of resampled rows does not matter to their variance.
        """
        exact = truth.astype(np.float64)
        below = weights * np.square(exact - mean(exact, weights))
        above = weights * np.square(residuals(truth, predictions))
        if not below.any():
            return None
        return Ratios(
            above=above[None],
            below=below[None],
            loss=lambda ratios: ratios[..., 0],
            wrong=np.array([bool(above.any())]),
            worst=np.ones(1),
            beyond=UNSEEN**2,
            estimated=True,
        )
