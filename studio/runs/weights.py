"""How much each training row counts at a fit."""

from dataclasses import dataclass

import numpy as np

from studio.arrays import AnyArray, Floats
from studio.data.metrics.base import Metric


def fit_weights(weights: Floats | None, y: AnyArray, *, balanced: bool) -> Floats | None:
    """Return the weights of training rows; ``None`` where all count the same.

    Parameters
    ----------
    weights : array, shape (n,), or None
        Of the rows themselves, at least 0.
    y : array, shape (n,)
        Class codes, or values.
    balanced : bool
        Whether every class shall weigh the same: the weights of class c, with the sum W_c, are
        multiplied by W / (C·W_c), where W is the sum over all C classes that have weight. Without
        row weights that is n / (C·n_c), scikit-learn's "balanced". Not for regression.
    """
    if not balanced:
        return weights
    own = np.ones(len(y)) if weights is None else weights
    totals = np.bincount(y, weights=own)
    present = totals > 0
    factors = np.zeros(len(totals))
    factors[present] = totals.sum() / (np.count_nonzero(present) * totals[present])
    balancing: Floats = own * factors[y]
    return balancing


def loss_of(
    metric: Metric, truth: AnyArray, predictions: AnyArray, weights: Floats | None
) -> float:
    """Return the loss of predictions, weighted where there are weights, shape (n,)."""
    if weights is None:
        return metric.loss(truth, predictions)
    return metric.loss(truth, predictions, weights=weights)


@dataclass(frozen=True, eq=False)
class WeightedMetric(Metric):
    """A metric bound to the weights of the validation rows, as builders of ensembles call it.

    Builders name rows by their targets only, so the weights belong to one array of targets: where
    a builder asks about other rows (a resample), all of them count the same.

    Attributes
    ----------
    metric : Metric
        What is weighted.
    truth : array, shape (n,)
        The very array that the history holds as its truth.
    weights : array, shape (n,)
        Of its rows.
    """

    metric: Metric
    truth: AnyArray
    weights: Floats

    def __post_init__(self) -> None:
        """Look at the same predictions as the metric does: builders ask for it."""
        object.__setattr__(self, "needs", self.metric.needs)

    def loss(self, truth: AnyArray, predictions: AnyArray, weights: Floats | None = None) -> float:
        """Return the weighted loss for the validation rows, the plain one for any others."""
        own = self.weights if weights is None and truth is self.truth else weights
        return loss_of(self.metric, truth, predictions, own)

    def row_losses(self, truth: AnyArray, predictions: AnyArray) -> Floats | None:
        """Return what each validation row adds to the weighted mean."""
        losses = self.metric.row_losses(truth, predictions)
        if losses is None or truth is not self.truth:
            return losses
        weighted: Floats = losses * (self.weights * (len(truth) / self.weights.sum()))
        return weighted

    def of_mean(self, means: Floats) -> Floats:
        """Return the losses that belong to mean row losses."""
        return self.metric.of_mean(means)
