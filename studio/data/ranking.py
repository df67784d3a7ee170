"""How well two classes are ranked one before the other, and which of several are confused most."""

from collections.abc import Sequence

import numpy as np

from studio.arrays import Flags, Floats, Integers
from studio.data.intervals.loss import loss_interval
from studio.data.intervals.resampling import CONFIDENCE
from studio.data.metrics.auc import Auc
from studio.data.metrics.curves import confusion, gains, most_confused, thinned
from studio.data.metrics.plain import Confused, Ranked

TOPS = (5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000)
"""How many of the rows ranked highest are looked at: as many as there are of the class, at most."""

_POINTS, _DECIMALS = 41, 4
"""Of a curve of gains: points at most, and their decimals."""


def rank_rows(
    positive: Flags, scores: Floats, label: str, units: Integers | None = None
) -> Ranked | None:
    """Return how many rows of a class are ranked highest.

    Args:
        positive: Shape (n,). Whether each row is of the class.
        scores: Shape (n,). Its probability, or its share of the votes.
        label: What the class is called.
        units: Shape (n,). Which rows are drawn together
            (:func:`studio.data.intervals.units.units_of`).

    Returns:
        ``None`` where fewer than five rows are of the class, or of the other one.
    """
    n_rows, positives = len(positive), int(positive.sum())
    if min(positives, n_rows - positives) < TOPS[0]:
        return None
    top = max(each for each in TOPS if each <= min(positives, n_rows // 2))
    cutoff = np.sort(scores)[-top]
    above, tied = scores > cutoff, scores == cutoff
    hits = int(positive[above].sum() + (top - above.sum()) * positive[tied].mean())
    curve = thinned(gains(positive, scores), _POINTS)
    points = np.column_stack([curve.x, curve.y]).round(_DECIMALS).tolist()
    return Ranked(
        label,
        top,
        hits,
        positives,
        _beyond_chance(positive, scores, units),
        tuple((x, y) for x, y in points),
    )


def _beyond_chance(positive: Flags, scores: Floats, units: Integers | None) -> bool:
    """Return whether the area under the ROC curve is above ½ by more than chance explains.

    Arrays are those of :func:`rank_rows`, shape (n,). Of rows that are drawn one by one it is the
    test of Mann and Whitney (1947): the interval of the area knows no more of a small table than it
    sees, so it is wide there (decision 39).
    """
    if units is None:
        from scipy.stats import mannwhitneyu  # takes long to load; a prediction does not need it

        found = mannwhitneyu(scores[positive], scores[~positive], alternative="greater")
        return bool(found.pvalue <= (1 - CONFIDENCE) / 2)
    shares = np.column_stack([1.0 - scores, scores])
    interval = loss_interval(Auc(), positive.astype(np.int64), shares, units=units)
    return interval is not None and interval[1] < 0.5


def confused_classes(truth: Integers, answers: Integers, labels: Sequence[str]) -> Confused | None:
    """Return which class is predicted most often for rows of another one.

    Args:
        truth, answers: Shape (n,). Class codes, true and predicted.
        labels: Length C. What the classes are called.

    Returns:
        ``None`` where all answers are right.
    """
    counts = confusion(truth, answers, len(labels))
    if (found := most_confused(counts)) is None:
        return None
    of = int(counts[found[0]].sum())
    return Confused(labels[found[0]], labels[found[1]], int(counts[found]), of)
