"""Predicted statistic of regression (mean, median, quantile), by metric and column."""

from dataclasses import dataclass

import numpy as np

from studio.arrays import AnyArray, Floats


@dataclass(frozen=True)
class PredictionTarget:
    """The predicted statistic and the target's bounds; unknown for older runs.

    Attributes:
        level: The quantile requested by the metric, ½ for the median; ``None`` for the mean.
            Learners that support quantiles predict it.
        floor: A lower bound of predictions, in the target's unit, if any.
        unit: The unit u of training on the logarithm, log(1 + value / u); ``None`` if values may be
            negative.
        unbiased: Whether predictions on the log scale are corrected to be unbiased like the mean;
            otherwise they are lower, about the median.
        relative: Whether errors are relative to the true value, which is then never 0: rows are
            weighted by 1 / |value|.
    """

    level: float | None = None
    floor: float | None = None
    unit: float | None = None
    unbiased: bool = False
    relative: bool = False

    def compute_weights(self, weights: Floats | None, y: AnyArray) -> Floats | None:
        """Return the rows' training weights, shape (n,); ``None`` if all are equal.

        Weights are the rows' own, shape (n,), if any; y, (n,), is the target.
        """
        if not self.relative:
            return weights
        row_weights = (1.0 if weights is None else weights) / np.abs(y)
        scaled: Floats = row_weights * (len(y) / row_weights.sum())
        return scaled
