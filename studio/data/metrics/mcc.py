"""The correlation of predicted and true classes."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from studio.arrays import AnyArray, Floats
from studio.data.metrics.base import CLASSIFICATION, Metric, Needs, predicted_labels
from studio.data.metrics.ratios import Ratios, of_influences
from studio.data.metrics.weighting import row_weights
from studio.data.tasks import Task


@dataclass(frozen=True)
class Mcc(Metric):
    """One minus Matthews' correlation coefficient."""

    key: ClassVar[str] = "mcc"
    title: ClassVar[str] = "1 − MCC"
    summary: ClassVar[str] = (
        "How loosely predicted and true classes go together: 0 where all are right, 1 where the "
        "prediction says nothing, more where it is worse than that. A common class does not hide "
        "a rare one."
    )
    reference: ClassVar[str] = "Matthews 1975; more classes: Gorodkin 2004"
    tasks: ClassVar[tuple[Task, ...]] = CLASSIFICATION
    needs: ClassVar[Needs] = "labels"
    balanced: ClassVar[bool] = True

    def is_defined(self, truth: AnyArray) -> bool:
        """Return whether truth, shape (n,), is of two classes at least."""
        return bool((truth != truth[0]).any())

    def loss(self, truth: AnyArray, predictions: AnyArray, weights: Floats | None = None) -> float:
        """Return 1 − MCC in [0, 2] of predictions (n, C); 1 where either has one class only."""
        cells = _cells(truth, predictions, row_weights(weights, len(truth)))
        together, spreads = _covariances(cells)
        product = spreads.prod()
        return float(1 - together / np.sqrt(product)) if product > 0 else 1.0

    def ratios(self, truth: AnyArray, predictions: AnyArray, weights: Floats) -> Ratios | None:
        """Return what each row of predictions (n, C) does to the loss, to first order."""
        cells = _cells(truth, predictions, weights)
        together, spreads = _covariances(cells)
        if not spreads.prod() > 0:
            return None
        total, right = cells.sum(), np.trace(cells)
        true, said = cells.sum(axis=1), cells.sum(axis=0)
        size = np.sqrt(spreads.prod())
        # Of one more row of each cell: the product rule on the covariances.
        more = np.eye(len(cells)) * total + right - true[None, :] - said[:, None]
        wider = (total - true)[:, None] / spreads[0] + (total - said)[None, :] / spreads[1]
        slopes = together / size * wider - more / size
        occurs = true > 0
        rows = slopes[truth, predicted_labels(predictions)]
        return of_influences(1 - together / size, rows, weights, worst=float(slopes[occurs].max()))


def _cells(truth: AnyArray, predictions: AnyArray, weights: Floats) -> Floats:
    """Return the weight of each true class and label, (C, C), of truth (n,), predictions (n, C)."""
    n_classes = predictions.shape[1]
    code = truth * n_classes + predicted_labels(predictions)
    cells: Floats = np.bincount(code, weights, n_classes**2).astype(np.float64)
    return cells.reshape(n_classes, n_classes)


def _covariances(cells: Floats) -> tuple[float, Floats]:
    """Return the covariance of truth and label, and the variance of each, all times W².

    ``cells`` has shape (C, C), the variances (2,).
    """
    total, true, said = cells.sum(), cells.sum(axis=1), cells.sum(axis=0)
    together = float(np.trace(cells) * total - true @ said)
    return together, np.array([total**2 - true @ true, total**2 - said @ said])
