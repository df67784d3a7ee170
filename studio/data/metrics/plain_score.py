"""Quality of predictions in plain words, compared with guessing.

For any metric of a run: the number of correct rows or the mean absolute error, and the same for a
constant prediction. Predictions that do not estimate a centre, such as quantiles, are scored by
their own metric.
"""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from studio.arrays import AnyArray, Floats
from studio.data.metrics.base import Constant, Metric, compute_residuals, find_argmax_labels
from studio.data.metrics.weighting import compute_mean, compute_median

HEADLINE_METRICS = ("error", "mae")
"""Keys of the metrics of plain scores for classes and for values."""

_SIGNIFICANCE_LEVEL = 0.025  # maximum probability of at least as many hits by chance


@dataclass(frozen=True)
class RankedHits:
    """Hits among the rows with the highest probabilities of a class.

    Attributes:
        top: Number of rows with the highest probabilities.
        hits: Rows of the class among them; ties at the cut-off count proportionally.
        positives: Rows of the class in total.
        beyond_chance: Whether the class is ranked better than chance explains; in older versions,
            whether there are more hits.
        gains: Cumulative gains: share of all rows by descending probability, and of the class's
            rows among them; empty in older versions.
        beyond_row_chance: As ``beyond_chance``, if rows of a group or of neighbouring times were
            independent; False in older versions.
    """

    label: str
    top: int
    hits: int
    positives: int
    beyond_chance: bool
    gains: tuple[tuple[float, float], ...] = ()
    beyond_row_chance: bool = False

    def is_beyond_chance(self, n_rows: int) -> bool:
        """Whether the hits among the top-ranked of ``n_rows`` rows exceed chance.

        This does not follow from ``beyond_chance``: a ranking may be better at lower ranks only.
        """
        return self.beyond_chance and exceeds_chance(self.hits, self.top, self.positives, n_rows)


def log_choose(n: int, k: int) -> float:
    """Return the logarithm of the number of ways to choose k of n things."""
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def exceeds_chance(hits: int, top: int, n_positives: int, n_rows: int) -> bool:
    """Return whether the ``top`` has more hits than chance explains (Fisher's exact test)."""
    log_total, tail = log_choose(n_rows, top), 0.0
    for n_hits in range(max(hits, top + n_positives - n_rows), min(top, n_positives) + 1):
        log_ways = log_choose(n_positives, n_hits) + log_choose(n_rows - n_positives, top - n_hits)
        tail += math.exp(log_ways - log_total)
    return tail <= _SIGNIFICANCE_LEVEL


@dataclass(frozen=True)
class ConfusedClasses:
    """The most frequently confused pair of classes.

    Attributes:
        truth, answer: The true and the predicted class.
        rows, of: Confused rows, and all rows of the true class.
        answered: Rows of all classes with this prediction; 0 in older versions.
    """

    truth: str
    answer: str
    rows: int
    of: int
    answered: int = 0


@dataclass(frozen=True)
class ClassRecall:
    """How many of a class's ``rows`` are predicted correctly."""

    label: str
    found: int
    rows: int


@dataclass(frozen=True)
class ClassPrecision:
    """How many of the ``rows`` predicted as a class are wrong."""

    label: str
    wrong: int
    rows: int


UnitKind = Literal["", "groups", "copies", "times"]
"""The cause of dependence between rows that together form one observation; empty for none."""


@dataclass(frozen=True)
class PlainScore:
    """Quality of predictions for the given rows, in plain terms.

    Attributes:
        of_classes: Whether classes are predicted, else values.
        average: Accuracy in [0, 1], or mean absolute error in the target's unit, weighted where
            rows have weights.
        middle: Median absolute error; ``None`` for classes.
        guess: ``average`` of a constant prediction: the most common class, or a value.
        tested: Whether the rows were not used for any choice.
        beyond_chance: Whether ``average`` beats ``guess`` by more than chance explains; ``None`` if
            unknown (also in older versions on rows used for choices).
        constant: The kind of the constant; in older versions the best one by the run's metric.
        metric: Title of the metric of ``average`` and ``guess``; empty for those above.
        unit: The unit of that metric; "%" for shares.
        ranked: How well the rarer of two classes is ranked; ``None`` with weights or too few rows,
            and in older versions.
        ranked_other: The same for the more common class.
        confused: With more than two classes; ``None`` without mistakes, with weights and in older
            versions.
        least_precise: The predicted class with the highest share of wrong rows, as under
            ``confused``; ``None`` also if each class is predicted for few rows.
        rarest: With more than two classes, if the metric is balanced or one class is much rarer;
            ``None`` with weights and in older versions.
        guess_middle: ``middle`` of the constant; ``None`` for classes and in older versions.
        per_class: Whether ``average`` and ``guess`` are means over more than two classes, as the
            run's metric is.
        by_metric: Whether the run's metric beats its best constant by more than chance explains;
            ``None`` if unknown.
        by_probabilities: Whether that metric compares each row's probabilities with its class;
            ``False`` in older versions.
        missed: Classes without a correct prediction, with their row counts; empty with weights and
            in older versions.
        weakest: With ``per_class``, the classes found worst, the worst first; empty with weights
            and in older versions.
        target_unit: The unit in the target's cells ("€"); empty if none, and in older versions.
        together: The cause of dependence between rows; empty in older versions.
    """

    rows: int
    of_classes: bool
    average: float
    middle: float | None
    guess: float
    weighted: bool
    tested: bool = False
    beyond_chance: bool | None = None
    ranked: RankedHits | None = None
    constant: Constant = "mean"
    metric: str = ""
    ranked_other: RankedHits | None = None
    confused: ConfusedClasses | None = None
    rarest: ClassRecall | None = None
    guess_middle: float | None = None
    unit: str = ""
    target_unit: str = ""
    per_class: bool = False
    by_metric: bool | None = None
    missed: tuple[tuple[str, int], ...] = ()
    weakest: tuple[ClassRecall, ...] = ()
    together: UnitKind = ""
    least_precise: ClassPrecision | None = None
    by_probabilities: bool = False

    def get_ranking(self, positive_class: str | None) -> RankedHits | None:
        """Return the ranking of the positive class, by default the rarer one."""
        other_ranking = self.ranked_other
        return (
            other_ranking
            if other_ranking is not None and other_ranking.label == positive_class
            else self.ranked
        )

    @property
    def is_better_than_guessing(self) -> bool:
        """Whether it is better than guessing: more correct rows, or a smaller error."""
        return self.average > self.guess if self.of_classes else self.average < self.guess

    @property
    def has_row_counts(self) -> bool:
        """Whether ``average`` and ``guess`` of classes are shares of all rows, equally weighted."""
        return not self.weighted and not self.per_class

    @property
    def doubtful(self) -> bool:
        """Whether neither these figures nor the run's metric are clearly better than guessing."""
        return not self.by_metric and (
            not self.is_better_than_guessing or self.beyond_chance is False
        )


def score_classes(
    truth: AnyArray, predictions: AnyArray, baseline: AnyArray, weights: Floats | None
) -> PlainScore:
    """Return the accuracy.

    Args:
        truth, baseline: Shape (n,), n > 0. Class codes: true ones, and the most common one in
            training.
        predictions: Shape (n, C). Probabilities or votes; the predicted class is the first largest.
        weights: Shape (n,); ``None``: equal.
    """
    accuracy = compute_mean(find_argmax_labels(predictions) == truth, weights)
    guess = compute_mean(baseline == truth, weights)
    return PlainScore(len(truth), True, accuracy, None, guess, weights is not None)


def score_values(
    truth: AnyArray,
    predictions: AnyArray,
    baseline: AnyArray,
    weights: Floats | None,
    metric: Metric,
) -> PlainScore:
    """Return the error of a regression, or its loss if errors are not meaningful.

    Arrays as for :func:`score_classes`, all of shape (n,); the metric is the run's. Guesses are
    medians where errors are meaningful, else the metric's best constants.
    """
    if not metric.plain:
        loss, guess_loss = (
            metric.compute_loss(truth, each, weights) for each in (predictions, baseline)
        )
        weighted = weights is not None
        return PlainScore(
            len(truth),
            False,
            loss,
            None,
            guess_loss,
            weighted,
            constant="value",
            metric=metric.title,
            unit=metric.unit,
        )
    errors, guess = (np.abs(compute_residuals(truth, each)) for each in (predictions, baseline))
    return PlainScore(
        rows=len(truth),
        of_classes=False,
        average=compute_mean(errors, weights),
        middle=compute_median(errors, weights),
        guess=compute_mean(guess, weights),
        weighted=weights is not None,
        constant="median",
        guess_middle=compute_median(guess, weights),
    )
