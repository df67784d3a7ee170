"""The error rate in which every class weighs the same."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from studio.arrays import AnyArray, Floats
from studio.data.metrics.base import CLASSIFICATION, Metric, Needs, predicted_labels
from studio.data.metrics.ratios import Ratios, of_classes
from studio.data.metrics.weighting import row_weights
from studio.data.tasks import Task


@dataclass(frozen=True)
class BalancedError(Metric):
    """One minus the mean recall over the classes that occur."""

    key: ClassVar[str] = "balanced-error"
    title: ClassVar[str] = "Balanced error rate"
    summary: ClassVar[str] = (
        "The error rate of each class, averaged over the classes. A rare class weighs as much as "
        "a frequent one."
    )
    reference: ClassVar[str] = "one minus the mean recall"
    tasks: ClassVar[tuple[Task, ...]] = CLASSIFICATION
    needs: ClassVar[Needs] = "labels"
    unit: ClassVar[str] = "%"
    balanced: ClassVar[bool] = True

    def loss(self, truth: AnyArray, predictions: AnyArray, weights: Floats | None = None) -> float:
        """Return the mean error over the classes, in [0, 1], of predictions (n, C)."""
        wrong = predicted_labels(predictions) != truth
        n_classes = predictions.shape[1]
        weight = row_weights(weights, len(truth))
        rows = np.bincount(truth, weights=weight, minlength=n_classes)
        errors = np.bincount(truth, weights=weight * wrong, minlength=n_classes)
        return float((errors[rows > 0] / rows[rows > 0]).mean())

    def ratios(self, truth: AnyArray, predictions: AnyArray, weights: Floats) -> Ratios:
        """Return the share of wrong rows of each class of predictions (n, C)."""
        below = weights * (truth == np.arange(predictions.shape[1])[:, None])
        return of_classes(below * (predicted_labels(predictions) != truth), below)
