"""How good predictions are in words that need no explanation, beside guessing.

Whatever the metric of a run: how many rows are right, or how far values are off on average, and
the same of one answer for all rows. Predictions that are no middle of what may come, such as
quantiles, are judged by their own metric.
"""

from dataclasses import dataclass

import numpy as np

from studio.arrays import AnyArray, Flags, Floats
from studio.data.metrics.base import Constant, Metric, predicted_labels, residuals
from studio.data.metrics.weighting import loss_of, mean, median

TOPS = (5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000)
"""How many of the rows ranked highest are looked at: as many as there are of the class, at most."""

_LEVEL = 0.05
"""Significance level of the number of hits."""


@dataclass(frozen=True)
class Ranked:
    """How many rows of a class are among those with its highest probabilities.

    Attributes
    ----------
    label : str
        The class.
    top : int
        How many rows with the highest probabilities are looked at.
    hits : int
        How many of these are of the class; rows tied at the end count by their share of it.
    positives : int
        How many of all rows are of the class.
    beyond_chance : bool
        Whether rows drawn at random would have as many hits with a probability of 5 % at most
        (hypergeometric).
    """

    label: str
    top: int
    hits: int
    positives: int
    beyond_chance: bool


@dataclass(frozen=True)
class PlainScore:
    """How good predictions of some rows are.

    Attributes
    ----------
    rows : int
        How many rows they are.
    of_classes : bool
        Whether classes are predicted, else values.
    average : float
        Share of rows whose class is right, in [0, 1], or mean absolute error, in the unit of the
        target; shares and means are of weighted rows where they have weights.
    middle : float or None
        Median absolute error; ``None`` of classes.
    guess : float
        ``average`` of the answer that looks at no column: the most common class, or a value.
    weighted : bool
        Whether rows have weights.
    tested : bool
        Whether the rows took no part in any choice.
    beyond_chance : bool or None
        Whether ``average`` is better than ``guess`` by more than chance explains; ``None`` where
        that is not known (rows that were chosen by, results of older versions).
    constant : "mean", "median" or "value"
        What that value is; older versions always had the mean.
    metric : str
        The title of the metric that ``average`` and ``guess`` are of; empty where they are what
        is said above.
    ranked : Ranked or None
        How well two classes are told apart by their order; ``None`` where rows have weights or
        are too few, and of older versions.
    """

    rows: int
    of_classes: bool
    average: float
    middle: float | None
    guess: float
    weighted: bool
    tested: bool = False
    beyond_chance: bool | None = None
    ranked: Ranked | None = None
    constant: Constant = "mean"
    metric: str = ""

    @property
    def better(self) -> bool:
        """Whether it is better than the guess at all: more rows right, or less far off."""
        return self.average > self.guess if self.of_classes else self.average < self.guess


def score_classes(
    truth: AnyArray, predictions: AnyArray, guesses: AnyArray, weights: Floats | None
) -> PlainScore:
    """Return how often a class is right.

    Parameters
    ----------
    truth, guesses : array, shape (n,), n > 0
        Class codes, true ones and the most common one among the rows that were learned from.
    predictions : array, shape (n, C)
        Probabilities or votes; the predicted class is the first largest.
    weights : array, shape (n,), or None
        How much each row counts.
    """
    right = mean(predicted_labels(predictions) == truth, weights)
    guess = mean(guesses == truth, weights)
    return PlainScore(len(truth), True, right, None, guess, weights is not None)


def rank_rows(positive: Flags, scores: Floats, label: str) -> Ranked | None:
    """Return how many rows of a class are ranked highest.

    Parameters
    ----------
    positive : array, shape (n,)
        Whether each row is of the class.
    scores : array, shape (n,)
        Its probability, or its share of the votes.
    label : str
        What the class is called.

    Returns
    -------
    Ranked or None
        ``None`` where fewer than five rows are of the class, or of the other one.
    """
    from scipy.stats import hypergeom

    n_rows, positives = len(positive), int(positive.sum())
    if min(positives, n_rows - positives) < TOPS[0]:
        return None
    top = max(each for each in TOPS if each <= min(positives, n_rows // 2))
    cutoff = np.sort(scores)[-top]
    above, tied = scores > cutoff, scores == cutoff
    hits = int(positive[above].sum() + (top - above.sum()) * positive[tied].mean())
    chance = float(hypergeom.sf(hits - 1, n_rows, positives, top))
    return Ranked(label, top, hits, positives, chance <= _LEVEL)


def score_values(
    truth: AnyArray,
    predictions: AnyArray,
    guesses: AnyArray,
    weights: Floats | None,
    metric: Metric,
) -> PlainScore:
    """Return how far values are off, or their loss where that says nothing.

    Arrays as for :func:`score_classes`, all of shape (n,); the metric is the run's, by which its
    guesses were made, too.
    """
    if not metric.plain:
        own, other = (loss_of(metric, truth, each, weights) for each in (predictions, guesses))
        weighted = weights is not None
        return PlainScore(
            len(truth), False, own, None, other, weighted, constant="value", metric=metric.title
        )
    off = np.abs(residuals(truth, predictions))
    guess = mean(np.abs(residuals(truth, guesses)), weights)
    return PlainScore(
        len(truth),
        False,
        mean(off, weights),
        median(off, weights),
        guess,
        weights is not None,
        constant=metric.constant,
    )
