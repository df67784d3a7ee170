"""Metrics of absolute errors: mean, percentage, median and quantile."""

from abc import abstractmethod
from dataclasses import dataclass
from functools import cache
from typing import ClassVar

import numpy as np

from studio.arrays import AnyArray, Floats
from studio.data.metrics.base import REGRESSION, Metric, compute_residuals
from studio.data.metrics.ratios import UNSEEN_FACTOR, Ratios, make_row_mean
from studio.data.metrics.weighting import (
    compute_mean,
    compute_median,
    compute_quantile,
    make_row_weights,
)
from studio.phrases import count_phrase, phrase


class _RowMean(Metric):
    """Base of unbounded means over row losses."""

    tasks = REGRESSION
    prediction_type = "values"

    @abstractmethod
    def compute_row_losses(self, truth: AnyArray, predictions: AnyArray) -> Floats:
        """Return the loss of each row, at least 0, shape (n,)."""

    def compute_ratios(self, truth: AnyArray, predictions: AnyArray, weights: Floats) -> Ratios:
        """Return the weighted mean; the baseline is the best constant. Arrays have shape (n,)."""
        guess = self.compute_loss(truth, self.compute_best_constant(truth, weights, 0), weights)
        losses = self.compute_row_losses(truth, predictions)
        return make_row_mean(
            losses, weights, self.transform_mean, worst=guess, beyond=UNSEEN_FACTOR
        )


@dataclass(frozen=True)
class Mape(_RowMean):
    """The mean absolute percentage error."""

    key = "mape"
    title = "Mean absolute percentage error"
    summary = (
        "The mean size of an error, in percent of the true value. Predictions that are too high "
        "cost more than those that are too low, and values near 0 dominate."
    )
    reference = "MAPE; undefined where a true value is 0"
    unit = "%"
    level = 0.5
    constant = "value"
    plain = False
    relative = True

    def find_problem(self, truth: AnyArray) -> str:
        """Return an error message if a true value, of shape (n,), is 0."""
        zeros = int((truth == 0).sum())
        if not zeros:
            return ""
        return count_phrase(
            "The mean absolute percentage error divides by the value to predict, which is 0 in "
            "one row. Choose the mean absolute error (mae), or RMSLE (rmsle).",
            "The mean absolute percentage error divides by the value to predict, which is 0 in "
            "{count:,} rows. Choose the mean absolute error (mae), or RMSLE (rmsle).",
            zeros,
        )

    def compute_row_losses(self, truth: AnyArray, predictions: AnyArray) -> Floats:
        """Return |truth − value| / |truth|, shape (n,)."""
        return np.abs(compute_residuals(truth, predictions)) / _clip_divisors(truth)

    def compute_best_constant(
        self, truth: AnyArray, weights: Floats | None, n_classes: int
    ) -> Floats:
        """Return the median of truth, shape (n,), weighted by 1 / |truth|."""
        shares = make_row_weights(weights, len(truth)) / _clip_divisors(truth)
        return np.array(compute_median(truth.astype(np.float64), shares))


def _clip_divisors(truth: AnyArray) -> Floats:
    """Return |truth|, shape (n,), with scikit-learn's smallest divisor as minimum."""
    return np.maximum(np.abs(truth.astype(np.float64)), np.finfo(np.float64).eps)


@dataclass(frozen=True)
class MedianAbsoluteError(Metric):
    """The median absolute error."""

    key = "median-absolute-error"
    title = "Median absolute error"
    summary = (
        "Half of the rows have a smaller error than this, in the unit of the target. A few very "
        "large errors do not matter."
    )
    reference = "median absolute error"
    tasks = REGRESSION
    prediction_type = "values"
    unit = "target"
    level = 0.5
    constant = "value"

    def compute_loss(
        self, truth: AnyArray, predictions: AnyArray, weights: Floats | None = None
    ) -> float:
        """Return the median of |truth − value|, at least 0, of arrays (n,)."""
        return compute_median(np.abs(compute_residuals(truth, predictions)), weights)

    def compute_best_constant(
        self, truth: AnyArray, weights: Floats | None, n_classes: int
    ) -> Floats:
        """Return the centre of the shortest interval with half of the weight of truth, (n,)."""
        weight = make_row_weights(weights, len(truth))
        order = np.argsort(truth, kind="stable")
        sorted_values = truth[order].astype(np.float64)
        cumulative_weights = np.cumsum(weight[order])
        # From each value to the first one that completes half of the weight.
        starts = cumulative_weights - weight[order]
        end_indices = np.searchsorted(cumulative_weights, starts + cumulative_weights[-1] / 2)
        is_complete = end_indices < len(sorted_values)
        lows, highs = sorted_values[is_complete], sorted_values[end_indices[is_complete]]
        shortest = int(np.argmin(highs - lows))
        return np.array((lows[shortest] + highs[shortest]) / 2)

    def compute_ratios(self, truth: AnyArray, predictions: AnyArray, weights: Floats) -> Ratios:
        """Return the share of rows beyond the median, arrays of shape (n,).

        If a share s of resampled rows is beyond it instead of ½, their median is about the
        s-quantile of the errors (Woodruff 1952): the interval of a share, mapped to errors.
        """
        errors = np.abs(compute_residuals(truth, predictions))
        order = np.argsort(errors, kind="stable")
        sorted_errors = errors[order]
        quantile_levels = (np.cumsum(weights[order]) - weights[order] / 2) / weights.sum()
        median_error = compute_median(errors, weights)
        beyond_median = (errors > median_error) + 0.5 * (errors == median_error)
        share = compute_mean(beyond_median, weights)

        def compute_quantile(shares: Floats) -> Floats:
            return np.interp(shares - share + 0.5, quantile_levels, sorted_errors)

        return make_row_mean(beyond_median, weights, compute_quantile, worst=1.0)


_KEY = "pinball-"


@dataclass(frozen=True)
class PinballLoss(_RowMean):
    """The mean pinball loss of the median; :func:`make_pinball` creates it for other quantiles."""

    reference = "Koenker & Bassett 1978"
    unit = "target"
    level: ClassVar[float] = 0.5
    constant = "value"
    plain = False

    def compute_row_losses(self, truth: AnyArray, predictions: AnyArray) -> Floats:
        """Return q·r for residuals r = truth − value above 0, else (q − 1)·r, shape (n,)."""
        errors = compute_residuals(truth, predictions)
        return np.maximum(self.level * errors, (self.level - 1.0) * errors)

    def compute_best_constant(
        self, truth: AnyArray, weights: Floats | None, n_classes: int
    ) -> Floats:
        return np.array(compute_quantile(truth.astype(np.float64), weights, self.level))


@cache
def make_pinball(level: float) -> type[PinballLoss]:
    """Return the metric of a quantile in (0, 1), with a key such as "pinball-0.9"."""
    share = 100 * level
    return type(
        "PinballLoss",
        (PinballLoss,),
        {
            "__doc__": PinballLoss.__doc__,
            "__module__": __name__,
            "key": f"{_KEY}{level:g}",
            "title": phrase("Pinball loss ({share:g} % quantile)", share=share),
            "summary": phrase(
                "The error of a predicted quantile, the value below which {share:g} % of the "
                "rows should lie, in the unit of the target. For planning with a safety margin.",
                share=share,
            ),
            "level": level,
        },
    )


def find_pinball(key: str) -> type[PinballLoss] | None:
    """Return the metric of a key such as "pinball-0.9"; ``None`` for any other key."""
    try:
        level = float(key.removeprefix(_KEY)) if key.startswith(_KEY) else 0.0
    except ValueError:
        return None
    return make_pinball(level) if 0.0 < level < 1.0 else None


@dataclass(frozen=True)
class Mae(_RowMean):
    """The mean absolute error."""

    key = "mae"
    title = "Mean absolute error"
    summary = (
        "The mean size of an error, in the unit of the target. Every unit of error weighs the same."
    )
    reference = "mean absolute error"
    unit = "target"
    level = 0.5
    constant = "median"

    def compute_row_losses(self, truth: AnyArray, predictions: AnyArray) -> Floats:
        return np.abs(compute_residuals(truth, predictions))

    def compute_best_constant(
        self, truth: AnyArray, weights: Floats | None, n_classes: int
    ) -> Floats:
        return np.array(compute_median(truth.astype(np.float64), weights))
