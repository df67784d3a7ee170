"""The balance of precision and recall."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from studio.arrays import AnyArray, Floats
from studio.data.metrics.base import CLASSIFICATION, Metric, Needs, predicted_labels
from studio.data.metrics.ratios import Ratios, of_classes
from studio.data.metrics.weighting import row_weights
from studio.data.tasks import Task


@dataclass(frozen=True)
class MacroF1(Metric):
    """One minus the mean F1 over the classes that occur or are predicted."""

    key: ClassVar[str] = "f1"
    title: ClassVar[str] = "1 − F1"
    summary: ClassVar[str] = (
        "How well the rows of each class are found without including others. Averaged over the "
        "classes (macro F1)."
    )
    reference: ClassVar[str] = "F1 = 2·TP/(2·TP + FP + FN), macro average"
    tasks: ClassVar[tuple[Task, ...]] = CLASSIFICATION
    needs: ClassVar[Needs] = "labels"
    unit: ClassVar[str] = "%"

    def loss(self, truth: AnyArray, predictions: AnyArray, weights: Floats | None = None) -> float:
        """Return 1 − macro F1, in [0, 1], of predictions (n, C)."""
        n_classes = predictions.shape[1]
        labels = predicted_labels(predictions)
        weight = row_weights(weights, len(truth))
        hits = np.bincount(truth, weights=weight * (labels == truth), minlength=n_classes)
        # 2·TP + FP + FN: the rows of a class plus the rows predicted as it.
        rows = np.bincount(truth, weights=weight, minlength=n_classes)
        rows += np.bincount(labels, weights=weight, minlength=n_classes)
        return float(1 - (2 * hits[rows > 0] / rows[rows > 0]).mean())

    def ratios(self, truth: AnyArray, predictions: AnyArray, weights: Floats) -> Ratios:
        """Return (FP + FN)/(2·TP + FP + FN) of each class of predictions (n, C)."""
        each, labels = np.arange(predictions.shape[1])[:, None], predicted_labels(predictions)
        below = weights * (truth == each) + weights * (labels == each)
        return of_classes(below * (labels != truth), below)
