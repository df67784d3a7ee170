"""Metrics of probabilities: log loss and Brier score."""

from dataclasses import dataclass

import numpy as np

from studio.arrays import AnyArray, Floats
from studio.data.metrics.base import CLASSIFICATION, Metric, find_argmax_labels, normalise_rows
from studio.data.metrics.ratios import Ratios, make_row_mean
from studio.data.metrics.weighting import compute_mean


@dataclass(frozen=True)
class BrierScore(Metric):
    """Half the mean squared distance between probabilities and the true class."""

    key = "brier"
    title = "Brier score"
    summary = (
        "The squared error of the predicted probabilities. Zero when every prediction is certain "
        "and right, one when every one is certain and wrong."
    )
    reference = "Brier 1950, halved so that it lies in [0, 1]"
    tasks = CLASSIFICATION
    prediction_type = "probabilities"

    def compute_loss(
        self, truth: AnyArray, predictions: AnyArray, weights: Floats | None = None
    ) -> float:
        """Return ½ · mean Σ_c (p_c − [c is true])², in [0, 1], of predictions (n, C)."""
        return compute_mean(self.compute_row_losses(truth, predictions), weights)

    def compute_row_losses(self, truth: AnyArray, predictions: AnyArray) -> Floats:
        """Return ½ · Σ_c (p_c − [c is true])², shape (n,)."""
        differences = normalise_rows(predictions)
        differences[np.arange(len(truth)), truth] -= 1.0
        squares: Floats = 0.5 * (differences * differences).sum(axis=1)
        return squares

    def compute_ratios(self, truth: AnyArray, predictions: AnyArray, weights: Floats) -> Ratios:
        """Return the loss as a weighted mean over rows.

        In the worst case the least likely class is true. Truth and weights have shape (n,),
        predictions (n, C).
        """
        shares = normalise_rows(predictions)
        worst = float((0.5 * (shares * shares).sum(axis=1) - shares.min(axis=1) + 0.5).max())
        any_wrong = bool((find_argmax_labels(predictions) != truth).any())
        losses = self.compute_row_losses(truth, predictions)
        return make_row_mean(
            losses, weights, self.transform_mean, worst=worst, has_wrong_rows=any_wrong
        )


MIN_PROBABILITY = 2.0**-24
"""Lower bound of probabilities: the smallest number in half precision (6e-8)."""


@dataclass(frozen=True)
class LogLoss(Metric):
    """Mean negative logarithm of the probability of the true class (cross-entropy)."""

    key = "log-loss"
    title = "Log loss"
    summary = (
        "How far the predicted probabilities are from the truth. Confident mistakes cost most."
    )
    reference = "cross-entropy; probabilities of at least 2^-24"
    tasks = CLASSIFICATION
    prediction_type = "probabilities"

    def compute_loss(
        self, truth: AnyArray, predictions: AnyArray, weights: Floats | None = None
    ) -> float:
        """Return the mean of -ln p(true class), in [0, 16.6], of predictions (n, C)."""
        return compute_mean(self.compute_row_losses(truth, predictions), weights)

    def compute_row_losses(self, truth: AnyArray, predictions: AnyArray) -> Floats:
        """Return -ln p(true class), shape (n,)."""
        true = normalise_rows(predictions)[np.arange(len(truth)), truth]
        losses: Floats = -np.log(np.maximum(true, MIN_PROBABILITY))
        return losses

    def compute_ratios(self, truth: AnyArray, predictions: AnyArray, weights: Floats) -> Ratios:
        """Return the loss as a weighted mean over rows.

        In the worst case the least likely class is true. Truth and weights have shape (n,),
        predictions (n, C).
        """
        worst = -float(np.log(max(normalise_rows(predictions).min(), MIN_PROBABILITY)))
        any_wrong = bool((find_argmax_labels(predictions) != truth).any())
        losses = self.compute_row_losses(truth, predictions)
        return make_row_mean(
            losses, weights, self.transform_mean, worst=worst, has_wrong_rows=any_wrong
        )
