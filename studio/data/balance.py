"""Imbalanced classes: balancing weights, and a suitable metric.

Classes are called imbalanced with more than four fifths of the rows in one class (a minority below
20 % is "moderate" imbalance in Google's guide to data preparation), or a largest class more than
nine times the smallest ("highly imbalanced" in KEEL, Alcalá-Fdez et al. 2011). The plain error then
looks good for a model that never predicts the rare class. With two classes, the rarer one counts as
rare below a quarter; the default metric is then the log loss (docs/studies/metric-and-target.md).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from studio.arrays import AnyArray, Floats, Integers
from studio.data.metrics.base import Metric
from studio.data.metrics.probabilities import LogLoss
from studio.data.metrics.registry import get_default
from studio.data.tasks import Task
from studio.phrases import phrase

MAJORITY_SHARE = 0.8
"""Share of the largest class above which classes are imbalanced."""

IMBALANCE_RATIO = 9.0
"""Ratio of the largest to the smallest class from which they count as imbalanced as well."""

RARE_SHARE = 0.25
"""Share of the rarer of two classes below which the error is not the default metric."""


@dataclass(frozen=True)
class ImbalanceNote:
    """Advice about strongly imbalanced classes, with the key of the proposed metric."""

    sentence: str
    metric: str


def find_rarer_class(codes: AnyArray) -> int:
    """Return the rarer of two classes, codes (n,); if equally rare, the one that appears later."""
    counts = np.bincount(codes.astype(np.int64), minlength=2)
    return int(counts.argmin()) if counts[0] != counts[1] else int(1 - codes[0])


def choose_default_metric(task: Task, counts: Integers | None) -> Metric:
    """Return the default metric: log loss if ``counts``, rows by class, (C,), has a rare class."""
    return LogLoss() if counts is not None and _has_rare_class(counts) else get_default(task)


def _has_rare_class(counts: Integers) -> bool:
    """Return whether row counts (C,) belong to two classes, one of them rare."""
    occurring_counts = counts[counts > 0]
    return len(occurring_counts) == 2 and bool(
        occurring_counts.min() < RARE_SHARE * occurring_counts.sum()
    )


def compute_training_weights(
    weights: Floats | None, y: AnyArray, *, balanced: bool
) -> Floats | None:
    """Return the weights of training rows, shape (n,); ``None`` if all are equal.

    Args:
        weights: Shape (n,). The given row weights, at least 0.
        y: Shape (n,). Class codes, or values.
        balanced: Whether all classes have equal weight: the weights of class c, with the sum
            W_c, are multiplied by W / (C·W_c), where W is the sum over all C classes with positive
            weight. Without row weights this is n / (C·n_c), scikit-learn's "balanced". Not for
            regression.
    """
    if not balanced:
        return weights
    row_weights = np.ones(len(y)) if weights is None else weights
    totals = np.bincount(y, weights=row_weights)
    occurs = totals > 0
    factors = np.zeros(len(totals))
    factors[occurs] = totals.sum() / (np.count_nonzero(occurs) * totals[occurs])
    return row_weights * factors[y]


def check_imbalance(
    y: Integers, classes: Sequence[str | int], metric_key: str | None, *, is_voting: bool = False
) -> ImbalanceNote | None:
    """Suggest another metric if classes are imbalanced and the plain error is minimised.

    Args:
        y: Shape (n,). Class codes 0..C-1.
        classes: Length C. The labels; empty for regression.
        metric_key: The minimised metric; ``None`` for the default.
        is_voting: Whether members of the ensemble vote, so that probabilities cannot be judged.
    """
    if not classes or metric_key not in {None, "error"}:
        return None
    return check_class_counts(np.bincount(y, minlength=len(classes)), classes, is_voting=is_voting)


def check_class_counts(
    counts: Integers, labels: Sequence[str | int], *, is_voting: bool = False
) -> ImbalanceNote | None:
    """Suggest another metric from the number of rows of each class, shape (C,)."""
    occur = np.flatnonzero(counts)
    if len(occur) < 2:
        return None
    largest = int(occur[np.argmax(counts[occur])])
    smallest = int(occur[np.argmin(counts[occur])])
    share = counts[largest] / counts.sum()
    ratio = counts[largest] / counts[smallest]
    rare = _has_rare_class(counts)
    if share <= MAJORITY_SHARE and ratio <= IMBALANCE_RATIO and not rare:
        return None
    if share > MAJORITY_SHARE or rare:
        problem = phrase(
            "Most rows are of class {largest!r}: a model that always predicts it is wrong for "
            "only {rest:.2g} %",
            largest=str(labels[largest])[:40],
            rest=100 * (1 - share),
        )
    else:
        problem = phrase(
            "Class {largest!r} has {ratio:.0f} times the rows of {smallest!r}, which hardly "
            "counts in the error",
            largest=str(labels[largest])[:40],
            ratio=ratio,
            smallest=str(labels[smallest])[:40],
        )
    if rare and not is_voting:
        return ImbalanceNote(
            phrase(
                "{problem}. The log loss is the better metric here: it judges the predicted "
                "probabilities.",
                problem=problem,
            ),
            LogLoss.key,
        )
    return ImbalanceNote(
        phrase(
            "{problem}. The balanced error rate is the better metric here: it gives every class "
            "the same weight.",
            problem=problem,
        ),
        "balanced-error",
    )
