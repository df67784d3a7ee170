"""Metrics of probabilities: log loss and Brier score."""

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np

from studio.arrays import AnyArray, Floats
from studio.data.metrics.base import CLASSIFICATION, Metric, find_argmax_labels, normalise_rows
from studio.data.metrics.ratios import Ratios, make_row_mean


class _ProbabilityMean(Metric):
    """Base of bounded means over row losses."""

    tasks = CLASSIFICATION
    prediction_type = "probabilities"

    @abstractmethod
    def compute_row_losses(self, truth: AnyArray, predictions: AnyArray) -> Floats:
        """Return the loss of each row, at least 0, shape (n,), of predictions (n, C)."""

    def compute_ratios(self, truth: AnyArray, predictions: AnyArray, weights: Floats) -> Ratios:
        """Return the weighted mean; in the worst case the least likely class is true.

        Truth and weights have shape (n,), predictions (n, C).
        """
        return make_row_mean(
            self.compute_row_losses(truth, predictions),
            weights,
            self.transform_mean,
            worst=float(self.compute_row_losses(predictions.argmin(axis=1), predictions).max()),
            has_wrong_rows=bool((find_argmax_labels(predictions) != truth).any()),
        )


@dataclass(frozen=True)
class BrierScore(_ProbabilityMean):
    """Half the mean squared distance between probabilities and the true class."""

    key = "brier"
    title = "Brier score"
    summary = (
        "The squared error of the predicted probabilities. Zero when every prediction is certain "
        "and right, one when every one is certain and wrong."
    )
    reference = "Brier 1950, halved so that it lies in [0, 1]"

    def compute_row_losses(self, truth: AnyArray, predictions: AnyArray) -> Floats:
        """Return ½ · Σ_c (p_c − [c is true])², shape (n,)."""
        differences = normalise_rows(predictions)
        differences[np.arange(len(truth)), truth] -= 1.0
        squares: Floats = 0.5 * (differences * differences).sum(axis=1)
        return squares


MIN_PROBABILITY = 2.0**-24
"""Lower bound of probabilities: the smallest number in half precision (6e-8)."""


@dataclass(frozen=True)
class LogLoss(_ProbabilityMean):
    """Mean negative logarithm of the probability of the true class (cross-entropy)."""

    key = "log-loss"
    title = "Log loss"
    summary = (
        "How far the predicted probabilities are from the truth. Confident mistakes cost most."
    )
    reference = "cross-entropy; probabilities of at least 2^-24"

    def compute_row_losses(self, truth: AnyArray, predictions: AnyArray) -> Floats:
        """Return -ln p(true class), shape (n,)."""
        true = normalise_rows(predictions)[np.arange(len(truth)), truth]
        return -np.log(np.maximum(true, MIN_PROBABILITY))
