"""Weighted rows: weighted means and losses."""

from dataclasses import dataclass

import numpy as np

from studio.arrays import AnyArray, Floats
from studio.data.metrics.base import Metric
from studio.data.metrics.ratios import Ratios
from studio.errors import DataError


def make_row_weights(weights: Floats | None, n_rows: int) -> Floats:
    """Return the rows' weights, (n_rows,), by default ones; raise DataError if all are 0."""
    if weights is None:
        return np.ones(n_rows)
    if not weights.any():
        raise DataError("All evaluated rows have weight 0. Choose another split or weight column.")
    return weights


def compute_mean(values: AnyArray, weights: Floats | None) -> float:
    """Return the mean of values (n,), weighted by weights (n,), at least 0, if given."""
    if weights is None:
        return float(values.mean())
    return float(np.average(values, weights=make_row_weights(weights, len(values))))


def compute_median(values: Floats, weights: Floats | None) -> float:
    """Return the weighted median of values, shape (n,)."""
    return compute_quantile(values, weights, 0.5)


def compute_quantile(values: Floats, weights: Floats | None, level: float) -> float:
    """Return the weighted quantile of a share.

    If the share is reached exactly at a value, return the mean of it and the next one, as in the
    median of an even number of values.

    Args:
        values: Shape (n,). Numbers.
        weights: Shape (n,). At least 0; ``None``: equal.
        level: The share, in [0, 1].
    """
    weight = make_row_weights(weights, len(values))
    has_weight = weight > 0
    order = np.argsort(values[has_weight], kind="stable")
    sorted_values = values[has_weight][order]
    cumulative_weights = np.cumsum(weight[has_weight][order])
    target_weight = level * cumulative_weights[-1]
    index = int(np.searchsorted(cumulative_weights, target_weight))
    next_index = index + 1 if cumulative_weights[index] == target_weight else index
    return float((sorted_values[index] + sorted_values[next_index]) / 2)


def compute_weighted_loss(
    metric: Metric, truth: AnyArray, predictions: AnyArray, weights: Floats | None
) -> float:
    """Return the loss of predictions, with row weights, shape (n,), if any."""
    if weights is None:
        return metric.compute_loss(truth, predictions)
    return metric.compute_loss(truth, predictions, weights=weights)


@dataclass(frozen=True, eq=False)
class WeightedMetric(Metric):
    """A metric bound to the weights of the validation rows, as used by builders of ensembles.

    Builders identify rows by their targets only, so the weights belong to one array of targets; for
    other rows (a resample) builders pass weights, or all rows have equal weight.

    Attributes:
        truth: Shape (n,). The same array as the history's.
        weights: Shape (n,).
    """

    metric: Metric
    truth: AnyArray
    weights: Floats

    def __post_init__(self) -> None:
        """Copy the metric's attributes used by builders."""
        object.__setattr__(self, "prediction_type", self.metric.prediction_type)
        object.__setattr__(self, "local", self.metric.local)

    def compute_loss(
        self, truth: AnyArray, predictions: AnyArray, weights: Floats | None = None
    ) -> float:
        """Return the weighted loss for the validation rows, the unweighted one for others.

        Shapes are those of :meth:`Metric.compute_loss`.
        """
        return compute_weighted_loss(
            self.metric, truth, predictions, self._select_weights(truth, weights)
        )

    def compute_candidate_loss(
        self, truth: AnyArray, predictions: AnyArray, weights: Floats | None = None
    ) -> float:
        return self.metric.compute_candidate_loss(
            truth, predictions, self._select_weights(truth, weights)
        )

    def _select_weights(self, truth: AnyArray, weights: Floats | None) -> Floats | None:
        return self.weights if weights is None and truth is self.truth else weights

    def compute_row_losses(self, truth: AnyArray, predictions: AnyArray) -> Floats | None:
        return self.metric.compute_row_losses(truth, predictions)

    def is_defined(self, truth: AnyArray) -> bool:
        return self.metric.is_defined(truth)

    def compute_ratios(
        self, truth: AnyArray, predictions: AnyArray, weights: Floats
    ) -> Ratios | None:
        """Return the metric's result with the given weights, shape (n,)."""
        return self.metric.compute_ratios(truth, predictions, weights)

    def transform_mean(self, means: Floats) -> Floats:
        return self.metric.transform_mean(means)

    def compute_best_constant(
        self, truth: AnyArray, weights: Floats | None, n_classes: int
    ) -> Floats:
        """Return the metric's result with the given weights, shape (n,)."""
        return self.metric.compute_best_constant(truth, weights, n_classes)
