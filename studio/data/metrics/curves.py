"""Diagnostics of classifiers: ROC, precision-recall, reliability, confusion matrix.

They use numpy only, so that the drawing process needs no other library.
"""

from dataclasses import dataclass, field

import numpy as np

from studio.arrays import Flags, Floats, Integers

BINS = 10
"""Number of bins of a reliability diagram, as in Guo et al. 2017 and scikit-learn's examples."""

_DECIMALS = 9  # tolerance at the bins' edges: shares such as 3/10 are inexact


@dataclass(frozen=True)
class Curve:
    """A curve over all thresholds, from the strictest to the loosest.

    Attributes:
        x, y: Shape (k,). In [0, 1]: x never falls. Empty if undefined.
        area: In [0, 1]; NaN if undefined.
    """

    x: Floats = field(default_factory=lambda: np.empty(0))
    y: Floats = field(default_factory=lambda: np.empty(0))
    area: float = float("nan")


@dataclass(frozen=True)
class Reliability:
    """Observed frequency of an outcome by its predicted probability.

    Attributes:
        counts: Shape (b,). Rows in each of b equal bins of [0, 1], which are closed on the right.
        predicted, observed: Shape (b,). Mean predicted probability and observed share; NaN in empty
            bins.
        error: Expected calibration error, Σ counts/n · |observed − predicted| (Guo et al. 2017, eq.
            3).
    """

    counts: Integers
    predicted: Floats
    observed: Floats
    error: float


def compute_confusion(truth: Integers, predicted_codes: Integers, n_classes: int) -> Integers:
    """Return the confusion matrix, true classes in rows, shape (C, C)."""
    cells = np.bincount(truth * n_classes + predicted_codes, minlength=n_classes**2)
    return cells.reshape(n_classes, n_classes).astype(np.int64)


def find_most_confused(counts: Integers, *, by_share: bool = False) -> tuple[int, int] | None:
    """Return the true and the predicted class of the most frequent mistake in a matrix (C, C).

    Args:
        by_share: Whether the share of the true class decides, as where metrics average over the
            classes. A single row counts only if no mistake is made twice.
    """
    rows = counts.sum(axis=1)
    errors = np.where(np.eye(len(counts), dtype=bool), 0, counts)
    if not errors.any():
        return None

    def rank(cell: tuple[int, ...]) -> tuple[float, ...]:
        if by_share:
            return errors[cell] > 1, errors[cell] / max(1, rows[cell[0]]), errors[cell]
        return errors[cell], -rows[cell[0]]

    true, predicted = max(np.ndindex(errors.shape), key=rank)
    return true, predicted


_MAX_WEAK_CLASSES = 2


def find_weakest_classes(counts: Integers) -> list[int]:
    """Return the classes of a matrix (C, C) with the lowest recall, below the mean recall."""
    occurring = np.flatnonzero(rows := counts.sum(axis=1))
    recalls = dict(
        zip(occurring.tolist(), counts.diagonal()[occurring] / rows[occurring], strict=True)
    )
    mean_recall = sum(recalls.values()) / max(1, len(recalls))
    below = [code for code, recall in recalls.items() if recall < mean_recall]
    return sorted(below, key=lambda code: (recalls[code], -rows[code]))[:_MAX_WEAK_CLASSES]


def compute_roc(positive: Flags, scores: Floats, weights: Floats | None = None) -> Curve:
    """Return the false positive rate (x) and the true positive rate (y) over all thresholds.

    Rows with equal scores cross the threshold together. The area (trapezoidal rule) is the
    probability that a positive row is ranked above a negative one, ties ½ (Fawcett 2006, section
    7).

    Args:
        positive: Shape (n,). Whether each row is positive; the curve is undefined if all or none
            are.
        scores: Shape (n,). Higher means more likely positive.
        weights: Shape (n,). At least 0; ``None``: equal.
    """
    true_positives, false_positives = _count_by_threshold(positive, scores, weights)
    if not true_positives[-1] or not false_positives[-1]:
        return Curve()
    x, y = false_positives / false_positives[-1], true_positives / true_positives[-1]
    return Curve(x, y, float(np.trapezoid(y, x)))


def compute_precision_recall(
    positive: Flags, scores: Floats, weights: Floats | None = None
) -> Curve:
    """Return recall (x) and precision (y) over all thresholds, starting at (0, 1).

    The area is the average precision Σ (R_k − R_(k−1))·P_k: it is a step curve, as linear
    interpolation is too optimistic (Davis and Goadrich 2006). Arguments as for :func:`compute_roc`;
    undefined without a positive row.
    """
    true_positives, false_positives = _count_by_threshold(positive, scores, weights)
    if not true_positives[-1]:
        return Curve()
    x = true_positives / true_positives[-1]
    y = np.concatenate([[1.0], true_positives[1:] / (true_positives[1:] + false_positives[1:])])
    return Curve(x, y, float(np.sum(np.diff(x) * y[1:])))


def compute_gains(positive: Flags, scores: Floats, weights: Floats | None = None) -> Curve:
    """Return the share of selected rows (x) and the true positive rate (y).

    The cumulative gains chart; y/x is the lift. The area uses the trapezoidal rule. Arguments as
    for :func:`compute_roc`; undefined without a positive row.
    """
    true_positives, false_positives = _count_by_threshold(positive, scores, weights)
    if not true_positives[-1]:
        return Curve()
    x = (true_positives + false_positives) / (true_positives[-1] + false_positives[-1])
    y = true_positives / true_positives[-1]
    return Curve(x, y, float(np.trapezoid(y, x)))


def compute_reliability(observed: Flags, probabilities: Floats, n_bins: int = BINS) -> Reliability:
    """Compare probabilities in [0, 1] with the observed outcomes, both of shape (n,), n > 0."""
    edges = np.linspace(0.0, 1.0, n_bins + 1)[1:-1].round(_DECIMALS)
    bin_index = np.searchsorted(edges, probabilities.round(_DECIMALS))
    counts = np.bincount(bin_index, minlength=n_bins).astype(np.int64)
    divisors = np.where(counts, counts, np.nan)
    predicted = np.bincount(bin_index, weights=probabilities, minlength=n_bins) / divisors
    observed_rate = (
        np.bincount(bin_index, weights=observed.astype(np.float64), minlength=n_bins) / divisors
    )
    error = float(np.nansum(counts * np.abs(observed_rate - predicted)) / len(probabilities))
    return Reliability(counts, predicted, observed_rate, error)


def average_curves(curves: list[Curve], n_points: int, *, is_step_function: bool) -> Curve:
    """Return the mean of curves on an even grid of x (macro average), skipping undefined ones.

    Its area is the mean of their areas.

    Args:
        is_step_function: Whether curves take the next point's value between points, as precision
            does.
    """
    defined = [curve for curve in curves if np.isfinite(curve.area)]
    if not defined:
        return Curve()
    grid = np.linspace(0.0, 1.0, n_points)
    interpolated = []
    for curve in defined:
        if is_step_function:
            point_indices = np.searchsorted(curve.x[1:], grid, side="left") + 1
            interpolated.append(curve.y[np.minimum(point_indices, len(curve.y) - 1)])
        else:
            # For points with equal x, the highest, which is the last, counts.
            is_last = np.append(np.diff(curve.x) > 0, True)
            interpolated.append(np.interp(grid, curve.x[is_last], curve.y[is_last]))
    area = float(np.mean([curve.area for curve in defined]))
    mean: Floats = np.mean(interpolated, axis=0)
    if not is_step_function:
        grid, mean = np.concatenate([[0.0], grid]), np.concatenate([[0.0], mean])
    return Curve(grid, mean, area)


def thin_curve(curve: Curve, max_points: int) -> Curve:
    """Thin a curve to at most ``max_points`` points, keeping its ends and its area."""
    if len(curve.x) <= max_points:
        return curve
    indices = np.unique(np.linspace(0, len(curve.x) - 1, max_points).round().astype(np.int64))
    return Curve(curve.x[indices], curve.y[indices], curve.area)


def to_step_curve(curve: Curve) -> Curve:
    """Return the corners, shape (2k − 1,), of a step curve with the next value between points."""
    return Curve(np.repeat(curve.x, 2)[:-1], np.repeat(curve.y, 2)[1:], curve.area)


def _count_by_threshold(
    positive: Flags, scores: Floats, weights: Floats | None
) -> tuple[Floats, Floats]:
    """Return the numbers of positives and negatives down to each distinct score, (k + 1,)."""
    if weights is not None:  # rows without weight add no step
        has_weight = weights > 0
        positive, scores, weights = positive[has_weight], scores[has_weight], weights[has_weight]
    order = np.argsort(-scores, kind="stable")
    sorted_scores = scores[order]
    level_ends = np.append(np.flatnonzero(np.diff(sorted_scores)), len(scores) - 1)
    weight = np.ones(len(scores)) if weights is None else weights[order]
    true_positives = np.cumsum(weight * positive[order])[level_ends]
    false_positives = np.cumsum(weight * ~positive[order])[level_ends]
    return np.concatenate([[0.0], true_positives]), np.concatenate([[0.0], false_positives])
