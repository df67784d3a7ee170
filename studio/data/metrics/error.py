"""The share of wrong predictions."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from studio.arrays import AnyArray, Floats
from studio.data.metrics.base import CLASSIFICATION, Metric, Needs, predicted_labels
from studio.data.metrics.ratios import Ratios, of_rows
from studio.data.metrics.weighting import mean
from studio.data.tasks import Task


@dataclass(frozen=True)
class Error(Metric):
    """Zero-one loss: the share of rows whose predicted class is wrong."""

    key: ClassVar[str] = "error"
    title: ClassVar[str] = "Error rate"
    summary: ClassVar[str] = "The share of rows that are predicted wrongly. One minus the accuracy."
    reference: ClassVar[str] = "zero-one loss"
    tasks: ClassVar[tuple[Task, ...]] = CLASSIFICATION
    needs: ClassVar[Needs] = "labels"
    unit: ClassVar[str] = "%"

    def loss(self, truth: AnyArray, predictions: AnyArray, weights: Floats | None = None) -> float:
        """Return the share of wrong rows, in [0, 1], of predictions (n, C)."""
        return mean(predicted_labels(predictions) != truth, weights)

    def row_losses(self, truth: AnyArray, predictions: AnyArray) -> Floats:
        """Return 1 where the prediction is wrong, else 0, shape (n,)."""
        wrong: Floats = (predicted_labels(predictions) != truth).astype(np.float64)
        return wrong

    def ratios(self, truth: AnyArray, predictions: AnyArray, weights: Floats) -> Ratios:
        """Return the weighted share of wrong rows of predictions (n, C)."""
        return of_rows(self.row_losses(truth, predictions), weights, self.of_mean, worst=1.0)
