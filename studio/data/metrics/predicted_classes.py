"""Metrics of predicted classes: error, balanced error, F1 and Matthews correlation."""

from dataclasses import dataclass

import numpy as np

from studio.arrays import AnyArray, Floats
from studio.data.metrics.base import CLASSIFICATION, Metric, find_argmax_labels
from studio.data.metrics.ratios import (
    Ratios,
    make_class_error_mean,
    make_influence_mean,
    make_row_mean,
)
from studio.data.metrics.weighting import make_row_weights


@dataclass(frozen=True)
class BalancedError(Metric):
    """One minus the mean recall over the classes that occur."""

    key = "balanced-error"
    title = "Balanced error rate"
    summary = (
        "The error rate of each class, averaged over the classes. A rare class weighs as much as "
        "a frequent one."
    )
    reference = "one minus the mean recall"
    tasks = CLASSIFICATION
    unit = "%"
    balanced = True
    averages_classes = True

    def compute_loss(
        self, truth: AnyArray, predictions: AnyArray, weights: Floats | None = None
    ) -> float:
        """Return the mean error over the classes, in [0, 1], of predictions (n, C)."""
        is_wrong = find_argmax_labels(predictions) != truth
        n_classes = predictions.shape[1]
        weight = make_row_weights(weights, len(truth))
        rows = np.bincount(truth, weights=weight, minlength=n_classes)
        errors = np.bincount(truth, weights=weight * is_wrong, minlength=n_classes)
        return float((errors[rows > 0] / rows[rows > 0]).mean())

    def compute_ratios(self, truth: AnyArray, predictions: AnyArray, weights: Floats) -> Ratios:
        """Return each class's error rate of predictions (n, C)."""
        denominators = weights * (truth == np.arange(predictions.shape[1])[:, None])
        return make_class_error_mean(
            denominators * (find_argmax_labels(predictions) != truth), denominators
        )


@dataclass(frozen=True)
class MacroF1(Metric):
    """One minus the mean F1 over the classes that occur or are predicted."""

    key = "f1-macro"
    title = "1 − F1"
    summary = (
        "How well the rows of each class are found without including others. Averaged over the "
        "classes (macro F1)."
    )
    reference = "F1 = 2·TP/(2·TP + FP + FN), macro average"
    tasks = CLASSIFICATION
    unit = "%"

    def compute_loss(
        self, truth: AnyArray, predictions: AnyArray, weights: Floats | None = None
    ) -> float:
        """Return 1 − macro F1, in [0, 1], of predictions (n, C)."""
        n_classes = predictions.shape[1]
        labels = find_argmax_labels(predictions)
        weight = make_row_weights(weights, len(truth))
        true_positives = np.bincount(truth, weights=weight * (labels == truth), minlength=n_classes)
        # 2·TP + FP + FN: the rows of a class plus the rows predicted as that class.
        rows = np.bincount(truth, weights=weight, minlength=n_classes)
        rows += np.bincount(labels, weights=weight, minlength=n_classes)
        return float(1 - (2 * true_positives[rows > 0] / rows[rows > 0]).mean())

    def compute_ratios(self, truth: AnyArray, predictions: AnyArray, weights: Floats) -> Ratios:
        """Return (FP + FN)/(2·TP + FP + FN) of each class of predictions (n, C)."""
        each, labels = np.arange(predictions.shape[1])[:, None], find_argmax_labels(predictions)
        denominators = weights * (truth == each) + weights * (labels == each)
        return make_class_error_mean(denominators * (labels != truth), denominators)


@dataclass(frozen=True)
class Mcc(Metric):
    """One minus Matthews' correlation coefficient."""

    key = "mcc"
    title = "1 − MCC"
    summary = (
        "Disagreement of predicted and true classes: 0 if all are right, 1 if the prediction is "
        "uninformative, more if it is worse. A common class does not hide a rare one."
    )
    reference = "Matthews 1975; more classes: Gorodkin 2004"
    tasks = CLASSIFICATION
    balanced = True

    def is_defined(self, truth: AnyArray) -> bool:
        """Return whether truth, shape (n,), has at least two classes."""
        return bool((truth != truth[0]).any())

    def compute_loss(
        self, truth: AnyArray, predictions: AnyArray, weights: Floats | None = None
    ) -> float:
        """Return 1 − MCC in [0, 2] of predictions (n, C); 1 where either has one class only."""
        cells = _compute_weighted_confusion(
            truth, predictions, make_row_weights(weights, len(truth))
        )
        covariance, variances = _compute_covariances(cells)
        product = variances.prod()
        return float(1 - covariance / np.sqrt(product)) if product > 0 else 1.0

    def compute_ratios(
        self, truth: AnyArray, predictions: AnyArray, weights: Floats
    ) -> Ratios | None:
        """Return each row's first-order influence on the loss of predictions (n, C)."""
        cells = _compute_weighted_confusion(truth, predictions, weights)
        covariance, variances = _compute_covariances(cells)
        if not variances.prod() > 0:
            return None
        total, n_correct = cells.sum(), np.trace(cells)
        true, predicted = cells.sum(axis=1), cells.sum(axis=0)
        scale = np.sqrt(variances.prod())
        # Derivative with respect to one more row in each cell (product rule on the covariances).
        covariance_change = (
            np.eye(len(cells)) * total + n_correct - true[None, :] - predicted[:, None]
        )
        variance_change = (total - true)[:, None] / variances[0] + (total - predicted)[
            None, :
        ] / variances[1]
        slopes = covariance / scale * variance_change - covariance_change / scale
        occurs = true > 0
        rows = slopes[truth, find_argmax_labels(predictions)]
        return make_influence_mean(
            1 - covariance / scale, rows, weights, worst=float(slopes[occurs].max())
        )


def _compute_weighted_confusion(truth: AnyArray, predictions: AnyArray, weights: Floats) -> Floats:
    """Return the weight of each true class and label, (C, C), of truth (n,), predictions (n, C)."""
    n_classes = predictions.shape[1]
    code = truth * n_classes + find_argmax_labels(predictions)
    cells: Floats = np.bincount(code, weights, n_classes**2).astype(np.float64)
    return cells.reshape(n_classes, n_classes)


def _compute_covariances(cells: Floats) -> tuple[float, Floats]:
    """Return covariance and both variances, (2,), of truth and label times W², of cells (C, C)."""
    total, true, predicted = cells.sum(), cells.sum(axis=1), cells.sum(axis=0)
    covariance = float(np.trace(cells) * total - true @ predicted)
    return covariance, np.array([total**2 - true @ true, total**2 - predicted @ predicted])


@dataclass(frozen=True)
class ErrorRate(Metric):
    """Zero-one loss: the share of rows whose predicted class is wrong."""

    key = "error"
    title = "Error rate"
    summary = "The share of wrongly predicted rows. One minus the accuracy."
    reference = "zero-one loss"
    tasks = CLASSIFICATION
    unit = "%"

    def compute_row_losses(self, truth: AnyArray, predictions: AnyArray) -> Floats:
        losses: Floats = (find_argmax_labels(predictions) != truth).astype(np.float64)
        return losses

    def compute_ratios(self, truth: AnyArray, predictions: AnyArray, weights: Floats) -> Ratios:
        return make_row_mean(
            self.compute_row_losses(truth, predictions), weights, self.transform_mean, worst=1.0
        )
