"""What is expected of chosen rows together, and between what it lies."""

from dataclasses import dataclass

import numpy as np

from studio.arrays import Floats
from studio.data.intervals.prediction import SHARE


@dataclass(frozen=True)
class Range:
    """What is expected of chosen rows together.

    Attributes:
        mean, low, high: The expectation, and between what the true number, or sum, lies.
        share: How often such an interval holds it.
    """

    mean: float
    low: float
    high: float
    share: float = SHARE

    @classmethod
    def of(cls, drawn: Floats, share: float = SHARE) -> "Range":
        """Return the range of numbers that were drawn, shape (m,)."""
        tail = (1.0 - share) / 2
        ends = np.quantile(drawn, [tail, 1.0 - tail], method="inverted_cdf")
        return cls(float(drawn.mean()), float(ends[0]), float(ends[1]), share)
