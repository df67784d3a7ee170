"""The share of wrong predictions."""

from dataclasses import dataclass
from typing import ClassVar

from studio.arrays import AnyArray
from studio.data.metrics.base import CLASSIFICATION, Metric, Needs, predicted_labels
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

    def loss(self, truth: AnyArray, predictions: AnyArray) -> float:
        """Return the share of wrong rows, in [0, 1]."""
        return float((predicted_labels(predictions) != truth).mean())
