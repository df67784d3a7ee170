"""How well the probabilities rank the rows of a class before the others."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from studio.arrays import AnyArray, Flags, Floats
from studio.data.metrics.base import CLASSIFICATION, Metric, Needs
from studio.data.metrics.weighting import row_weights
from studio.data.tasks import Task


@dataclass(frozen=True)
class Auc(Metric):
    """One minus the area under the ROC curve."""

    key: ClassVar[str] = "auc"
    title: ClassVar[str] = "1 − AUC"
    summary: ClassVar[str] = (
        "How often a row of a class is ranked behind a row of another class. With more than two "
        "classes, the mean over each class against the rest."
    )
    reference: ClassVar[str] = "ROC AUC, one against the rest, macro average; Hand & Till 2001"
    tasks: ClassVar[tuple[Task, ...]] = CLASSIFICATION
    needs: ClassVar[Needs] = "probabilities"
    unit: ClassVar[str] = "%"

    def is_defined(self, truth: AnyArray) -> bool:
        """Return whether there are rows of two classes, of which one can be ranked before."""
        return bool((truth != truth[0]).any())

    def loss(self, truth: AnyArray, predictions: AnyArray, weights: Floats | None = None) -> float:
        """Return 1 − AUC in [0, 1]; classes without rows are left out, ½ if none can be ranked."""
        n_classes = predictions.shape[1]
        ranked = (1,) if n_classes == 2 else range(n_classes)
        weight = row_weights(weights, len(truth))
        counted = weight > 0
        truth, predictions, weight = truth[counted], predictions[counted], weight[counted]
        losses = [
            _misranked(predictions[:, code].astype(np.float64), positive, weight)
            for code in ranked
            if 0 < (positive := truth == code).sum() < len(truth)
        ]
        return float(np.mean(losses)) if losses else 0.5


def _misranked(scores: Floats, positive: Flags, weights: Floats) -> float:
    """Return the share of pairs in the wrong order, ties ½ (Mann–Whitney); a pair weighs w·w."""
    levels, position = np.unique(scores, return_inverse=True)
    above = np.bincount(position, weights=weights * positive, minlength=len(levels))
    beneath = np.bincount(position, weights=weights * ~positive, minlength=len(levels))
    # Sums of whole numbers are exact, so plain rows have the very figure of average ranks.
    right = (above * (np.cumsum(beneath) - beneath / 2)).sum()
    return float(1 - right / (above.sum() * beneath.sum()))
