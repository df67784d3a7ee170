"""Predicted statistic of regression (mean, median, quantile), by metric and column."""

from dataclasses import dataclass

import numpy as np

from studio.arrays import AnyArray, Floats


@dataclass(frozen=True)
class Aim:
    """The predicted statistic and the target's bounds; unknown for older runs.

    Attributes:
        level: The quantile of what may come that the metric asks for, ½ for the median; ``None``
            for the mean. Learners that can be trained for a quantile are.
        floor: What no prediction lies below, in the target's unit; ``None``: there is no such
            value.
        unit: What counts as 1 where a configuration trains on the logarithm, log(1 + value / unit);
            ``None`` where values may be negative.
        unbiased: Whether what comes back from a logarithm is made right on average, as the mean is:
            else it is lower, about the median.
        relative: Whether errors count as shares of the true value, none of which is 0: rows are
            trained on with 1 / |value| of their weight.
    """

    level: float | None = None
    floor: float | None = None
    unit: float | None = None
    unbiased: bool = False
    relative: bool = False

    def weights(self, weights: Floats | None, y: AnyArray) -> Floats | None:
        """Return the rows' training weights, shape (n,); ``None`` if all are equal.

        Weights are the rows' own, shape (n,), if they have any; y, (n,), is what is predicted.
        """
        if not self.relative:
            return weights
        shares = (1.0 if weights is None else weights) / np.abs(y)
        scaled: Floats = shares * (len(y) / shares.sum())
        return scaled
