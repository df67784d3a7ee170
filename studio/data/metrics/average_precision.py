"""How clean the top of a ranking is, however far down one looks."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from studio.arrays import AnyArray, Floats, Integers
from studio.data.metrics.base import Metric, Needs
from studio.data.metrics.ratios import Ratios, of_influences
from studio.data.metrics.weighting import row_weights
from studio.data.tasks import Task


@dataclass(frozen=True)
class AveragePrecision(Metric):
    """One minus the average precision of the second of two classes."""

    key: ClassVar[str] = "average-precision"
    title: ClassVar[str] = "1 − average precision"
    summary: ClassVar[str] = (
        "How many rows of the class are missing among those ranked highest, averaged over all "
        "places where one of the class is found. The class is the second in order, such as "
        "“yes” after “no”, or 1 after 0."
    )
    reference: ClassVar[str] = "average precision: Σ (R_n − R_n-1)·P_n"
    tasks: ClassVar[tuple[Task, ...]] = ("binary",)
    needs: ClassVar[Needs] = "probabilities"
    unit: ClassVar[str] = "%"

    def is_defined(self, truth: AnyArray) -> bool:
        """Return whether truth, shape (n,), has a row of the class."""
        return bool((truth == 1).any())

    def loss(self, truth: AnyArray, predictions: AnyArray, weights: Floats | None = None) -> float:
        """Return 1 − average precision in [0, 1]; 1 without rows of the class.

        Truth and weights have shape (n,), predictions (n, 2).
        """
        weight = row_weights(weights, len(truth))
        counted = weight > 0
        positive = (truth[counted] == 1) * weight[counted]
        if not positive.any():
            return 1.0
        found, precision, _ = _levels(predictions[counted, 1], positive, weight[counted])
        return float(1 - (found * precision).sum() / found.sum())

    def ratios(self, truth: AnyArray, predictions: AnyArray, weights: Floats) -> Ratios | None:
        """Return what each row does to the loss, to first order.

        Truth and weights have shape (n,), predictions (n, 2).
        """
        positive = truth == 1
        if not positive.any():
            return None
        found, precision, place = _levels(predictions[:, 1], positive * weights, weights)
        seen, total = np.cumsum(np.bincount(place, weights)), found.sum()
        average = float((found * precision).sum() / total)

        def from_here_down(each: Floats) -> Floats:
            return np.cumsum(each[::-1])[::-1]

        # One more row at a place changes the precision there and at all places below.
        raised = from_here_down(found * (1 - precision) / seen) / total
        lowered = from_here_down(found * precision / seen) / total
        gained = (precision - average)[place] / total + raised[place]
        slopes = np.where(positive, -gained, lowered[place])
        # A row of the class below all others, or one of the other class above them.
        worst = max(average / total, float(lowered[0]))
        return of_influences(1 - average, slopes, weights, worst=worst)


def _levels(scores: Floats, positive: Floats, weights: Floats) -> tuple[Floats, Floats, Integers]:
    """Return of each score, highest first, what is found there, and the precision down to it.

    Scores, the weight of positive rows, and all weights have shape (n,), the first two results (L,)
    for L different scores, the last is the place of each row among these, (n,).
    """
    levels, rising = np.unique(scores.astype(np.float64), return_inverse=True)
    place: Integers = len(levels) - 1 - rising
    found = np.bincount(place, positive).astype(np.float64)
    return found, np.cumsum(found) / np.cumsum(np.bincount(place, weights)), place
