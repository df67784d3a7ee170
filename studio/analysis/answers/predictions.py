"""Records about predictions: errors, decision thresholds, losses of trials."""

import math
from dataclasses import dataclass, field

from studio.analysis.answers.array_fields import float_field, integer_field
from studio.arrays import AnyArray, Floats, Integers
from studio.data.metrics.curves import Curve, Reliability

ALL_CLASSES = -1
"""Stands for all classes instead of one (their mean; for calibration, the predicted class)."""

MAX_LISTED = 200
"""Maximum number of rows listed by disagreement, and of those listed by error."""


@dataclass(frozen=True)
class ListedColumn:
    """A column of the run's table, for listed rows.

    Attributes:
        unit: The unit of its numbers, such as "€"; empty without one.
        values: One per row: a number, a label or date as text; ``None`` if missing or unknown.
        decimal, thousands: Its number marks (:class:`studio.data.numbers.NumberFormat`).
    """

    name: str
    unit: str = ""
    values: tuple[float | str | None, ...] = ()
    decimal: str = "."
    thousands: str = ""


@dataclass(frozen=True)
class PredictionErrors:
    """Errors of an ensemble. "Both" means the ensemble, followed by the best single trial.

    Row weights are ignored.

    Attributes:
        is_weighted: Whether rows have weights.
        classes: Length C. Empty for values.
        curve_class: The class of the curves, or :data:`ALL_CLASSES`.
        members, best_single_trial, count: Members of the ensemble; the best single trial (0 if it
            is the only member); rows n.
        confusion: Shape (C, C). Rows of each true class (first axis) by predicted class.
        roc, precision: Curves of both, with the area under the curve and the average precision.
        listed_rows: Shape (r,). The rows of largest disagreement among the members.
        listed_truth, listed_predicted: Shape (r,). Codes or values.
        listed_spread: Shape (r,). Weight of the members that agree with the ensemble, or the
            members' standard deviation.
        listed_runner_up: Shape (r,). The most common prediction of the other members, -1 for none;
            NaN for values. Members no better than guessing hardly count.
        listed_dissenters: Length r. Trials of the members that disagree with the ensemble, the
            heaviest first; empty for values.
        guessing_members: Trials of the members whose mean recall is at most that of a constant
            prediction; empty for values.
        listed_pixels: Shape (r, height, width). For images: pixels from 0 (minimum over all rows)
            to 255 (maximum); otherwise empty.
        worst_rows: Shape (w,). The rows with the largest errors, in descending order; for classes
            also correct ones, at most :data:`MAX_LISTED` of each cell of the confusion matrix.
        worst_truth, worst_predicted: Shape (w,). Codes or values.
        worst_share: Shape (w,). The probability of the true class; NaN for values.
        worst_columns: Columns of these rows: the identifier, if any, then the requested ones.
        listed_columns: The same columns of the rows of largest disagreement.
        has_identifier: Whether there is an identifier.
        decision_class, threshold: The class and the threshold of the decision behind the labels;
            empty and NaN without one.
        dot_rows: Shape (p,). Numbers of the rows drawn as dots: a random sample if there are many.
        dots_truth, dots_predicted: Shape (p,). Their values.
        rmse, mae, r2: Shape (both,). Root mean square and mean absolute error, R².
        unit: The unit of the values, such as "€"; empty without one.
    """

    classes: tuple[str, ...] = ()
    curve_class: int = ALL_CLASSES
    members: int = 0
    best_single_trial: int = 0
    count: int = 0
    confusion: Integers = integer_field(0, 0)
    roc: tuple[Curve, ...] = ()
    precision: tuple[Curve, ...] = ()
    reliability: tuple[Reliability, ...] = ()
    listed_rows: Integers = integer_field()
    listed_truth: AnyArray = float_field()
    listed_predicted: AnyArray = float_field()
    listed_spread: Floats = float_field()
    listed_runner_up: AnyArray = float_field()
    listed_dissenters: tuple[tuple[int, ...], ...] = ()
    guessing_members: tuple[int, ...] = ()
    listed_pixels: AnyArray = integer_field(0, 0, 0)
    worst_rows: Integers = integer_field()
    worst_truth: AnyArray = float_field()
    worst_predicted: AnyArray = float_field()
    worst_share: Floats = float_field()
    worst_columns: tuple[ListedColumn, ...] = ()
    listed_columns: tuple[ListedColumn, ...] = ()
    has_identifier: bool = False
    decision_class: str = ""
    threshold: float = math.nan
    dot_rows: Integers = integer_field()
    dots_truth: Floats = float_field()
    dots_predicted: Floats = float_field()
    rmse: Floats = float_field()
    mae: Floats = float_field()
    r2: Floats = float_field()
    unit: str = ""
    is_weighted: bool = False
    reason: str = ""


@dataclass(frozen=True)
class ConfusionCounts:
    """Confusion counts, or sums of weights if rows have any."""

    true_positives: float = 0.0
    false_negatives: float = 0.0
    false_positives: float = 0.0
    true_negatives: float = 0.0

    @property
    def total(self) -> float:
        """The number of rows."""
        return (
            self.true_positives + self.false_negatives + self.false_positives + self.true_negatives
        )

    @property
    def n_correct(self) -> float:
        """The number of correctly labelled rows."""
        return self.true_positives + self.true_negatives

    @property
    def positive_rate(self) -> float:
        """The share of rows with the positive label."""
        return _compute_share(self.true_positives + self.false_positives, self.total)

    @property
    def precision(self) -> float:
        """Precision; NaN without positive labels."""
        return _compute_share(self.true_positives, self.true_positives + self.false_positives)

    @property
    def recall(self) -> float:
        """Recall; NaN without positive rows."""
        return _compute_share(self.true_positives, self.true_positives + self.false_negatives)

    @property
    def false_positive_rate(self) -> float:
        """False positive rate; NaN without negative rows."""
        return _compute_share(self.false_positives, self.false_positives + self.true_negatives)

    def compute_cost(self, miss: float, alarm: float) -> float:
        """Return the mean cost per row."""
        return _compute_share(
            miss * self.false_negatives + alarm * self.false_positives, self.total
        )

    @property
    def all_negative(self) -> "ConfusionCounts":
        """The same rows, all labelled negative."""
        return ConfusionCounts(
            false_negatives=self.true_positives + self.false_negatives,
            true_negatives=self.false_positives + self.true_negatives,
        )

    @property
    def all_positive(self) -> "ConfusionCounts":
        """The same rows, all labelled positive."""
        return ConfusionCounts(
            true_positives=self.true_positives + self.false_negatives,
            false_positives=self.false_positives + self.true_negatives,
        )


def _compute_share(part: float, total: float) -> float:
    return part / total if total else float("nan")


@dataclass(frozen=True)
class DecisionFigures:
    """The outcome of a decision on unseen rows.

    Attributes:
        classes: Both classes; empty for other tasks.
        threshold: The lowest probability for the positive label.
        evaluation_split: The rows of all figures but ``cost_chosen``: validation rows if there are
            no test rows.
        is_weighted: Whether rows have weights, which all figures use.
        is_vote: Whether the method's labels are a vote.
        is_refitted: Whether the final models were refitted after the search, so they differ from
            the evaluated ones.
        method_confusion, threshold_confusion: By the method's labels, and by the threshold.
        roc, precision, gains: Recall by false positive rate; precision by recall; recall by the
            share of rows flagged.
        costs: Cost of a miss and of a false alarm; ``None`` if not given.
        cost_thresholds: Shape (k,). Thresholds; empty without costs.
        cost_evaluated, cost_chosen: Shape (k,). Mean cost per row at these thresholds, on the
            evaluated and on the validation rows; the second is empty if these are the evaluated
            rows, or unavailable.
        currency: The only currency of the table's amounts, probably also that of the costs; empty
            otherwise.
    """

    classes: tuple[str, ...] = ()
    positive_class: str = ""
    threshold: float = 0.5
    evaluation_split: str = "test"
    count: int = 0
    is_weighted: bool = False
    is_vote: bool = False
    is_refitted: bool = False
    trials: int = 0
    is_f1_optimal: bool = False
    method_confusion: ConfusionCounts = ConfusionCounts()
    threshold_confusion: ConfusionCounts = ConfusionCounts()
    roc: Curve = field(default_factory=Curve)
    precision: Curve = field(default_factory=Curve)
    gains: Curve = field(default_factory=Curve)
    costs: tuple[float, float] | None = None
    cost_thresholds: Floats = float_field()
    cost_evaluated: Floats = float_field()
    cost_chosen: Floats = float_field()
    currency: str = ""
    reason: str = ""

    @property
    def negative_class(self) -> str:
        """The other class; empty for tasks without two classes."""
        return next((each for each in self.classes if each != self.positive_class), "")

    def rank_constant_labels(
        self, miss: float, alarm: float
    ) -> tuple[tuple[str, ConfusionCounts], tuple[str, ConfusionCounts]]:
        """Return both labels with the counts if all rows had that label, the cheapest first.

        At equal costs the negative label, which needs no action, comes first.
        """
        counts = self.method_confusion
        negative = self.negative_class, counts.all_negative
        positive = self.positive_class, counts.all_positive
        if positive[1].compute_cost(miss, alarm) < negative[1].compute_cost(miss, alarm):
            return positive, negative
        return negative, positive


@dataclass(frozen=True)
class TrialTestLosses:
    """The test loss of each trial's model from the search.

    Attributes:
        losses: Shape (n,). The run's metric, of trials 1, 2, …; NaN for failed trials, or without
            test rows.
    """

    losses: Floats = float_field()
