"""The median absolute error."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from studio.arrays import AnyArray, Floats
from studio.data.metrics.base import REGRESSION, Constant, Metric, Needs, residuals
from studio.data.metrics.ratios import Ratios, of_rows
from studio.data.metrics.weighting import mean, median, row_weights
from studio.data.tasks import Task


@dataclass(frozen=True)
class MedianAbsoluteError(Metric):
    """The median absolute error."""

    key: ClassVar[str] = "median-absolute-error"
    title: ClassVar[str] = "Median absolute error"
    summary: ClassVar[str] = (
        "Half of the rows are predicted better than this, in the unit of the target. A few very "
        "large errors do not matter."
    )
    reference: ClassVar[str] = "median absolute error"
    tasks: ClassVar[tuple[Task, ...]] = REGRESSION
    needs: ClassVar[Needs] = "values"
    unit: ClassVar[str] = "target"
    level: ClassVar[float | None] = 0.5
    constant: ClassVar[Constant] = "value"

    def loss(self, truth: AnyArray, predictions: AnyArray, weights: Floats | None = None) -> float:
        """Return the median of |truth − value|, at least 0, of arrays (n,)."""
        return median(np.abs(residuals(truth, predictions)), weights)

    def best_constant(self, truth: AnyArray, weights: Floats | None, n_classes: int) -> Floats:
        """Return the middle of the shortest interval with half of the weight of truth, (n,)."""
        weight = row_weights(weights, len(truth))
        order = np.argsort(truth, kind="stable")
        ordered, below = truth[order].astype(np.float64), np.cumsum(weight[order])
        # From each value to the first one with which half of the weight is reached.
        begins = below - weight[order]
        ends = np.searchsorted(below, begins + below[-1] / 2)
        whole = ends < len(ordered)
        lows, highs = ordered[whole], ordered[ends[whole]]
        shortest = int(np.argmin(highs - lows))
        return np.array((lows[shortest] + highs[shortest]) / 2)

    def ratios(self, truth: AnyArray, predictions: AnyArray, weights: Floats) -> Ratios:
        """Return the share of rows beyond the median, arrays of shape (n,).

        Where resampled rows have a share s beyond it instead of ½, their median is about the
        s-quantile of the errors (Woodruff 1952): the interval of a share, read off the errors.
        """
        errors = np.abs(residuals(truth, predictions))
        order = np.argsort(errors, kind="stable")
        ordered = errors[order]
        reached = (np.cumsum(weights[order]) - weights[order] / 2) / weights.sum()
        middle = median(errors, weights)
        beyond = (errors > middle) + 0.5 * (errors == middle)
        share = mean(beyond, weights)

        def quantile(shares: Floats) -> Floats:
            return np.interp(shares - share + 0.5, reached, ordered)

        return of_rows(beyond, weights, quantile, worst=1.0)
