"""Model of a decision for two classes: tried and stored thresholds, in words."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from studio.analysis.answers.predictions import ConfusionCounts, DecisionFigures
from studio.analysis.decision_text import format_rows, list_outcome_lines, make_cost_format
from studio.document.decision import Decision
from studio.document.runs import RunRow
from studio.language import N_, format_share, ntr, tr, translate
from studio.measure import format_quantity, format_threshold

ThresholdRule = Literal["f1", "hand", "costs", "capacity"]

"""Rule that determines the threshold."""

_MAX_CLASS_LENGTH = 24
"""Maximum length of a class name that cannot wrap."""


def describe_decision_link(row: RunRow) -> str:
    """Return the text of the link to the decision view."""
    if row.decision is None:
        return tr("Set the threshold: the probability from which rows get the label")
    if row.decision_note:
        return tr("Your decision was made for an earlier result of this run: check it")
    return tr(
        "Your decision: “{name}” from {share}",
        name=shorten_class(row.decision.looked_for),
        share=format_threshold(row.decision.threshold),
    )


@dataclass(frozen=True)
class DecisionDraft:
    """A tentative decision, before it is stored.

    Attributes:
        positive_class: The positive class; ``None`` until the rarer one is known.
        threshold: In [0, 1]; set by hand or computed.
        capacity: The share of rows that can be handled, in [0, 1].
    """

    positive_class: str | None = None
    threshold: float = 0.5
    threshold_rule: ThresholdRule = "f1"
    miss_cost: float = 5.0
    alarm_cost: float = 1.0
    capacity: float = 0.1

    @classmethod
    def from_decision(cls, decision: Decision | None) -> "DecisionDraft":
        """Return a stored decision as a starting point."""
        if decision is None:
            return cls()
        if decision.capacity is not None:
            return cls(
                decision.looked_for, decision.threshold, "capacity", capacity=decision.capacity
            )
        if decision.miss_cost is None or decision.alarm_cost is None:
            rule: ThresholdRule = "f1" if decision.balanced else "hand"
            return cls(decision.looked_for, decision.threshold, rule)
        return cls(
            decision.looked_for,
            decision.threshold,
            "costs",
            decision.miss_cost,
            decision.alarm_cost,
        )

    @classmethod
    def from_answer(cls, arguments: Mapping[str, Any], figures: DecisionFigures) -> "DecisionDraft":
        """Return the decision of a reply and its request (:attr:`query_arguments`)."""
        rule: ThresholdRule = "f1" if figures.is_f1_optimal else "hand"
        draft = cls(figures.positive_class, figures.threshold, rule)
        if arguments.get("capacity") is not None:
            return replace(draft, threshold_rule="capacity", capacity=arguments["capacity"])
        if arguments.get("miss_cost") is None:
            return draft
        costs = {name: arguments[name] for name in ("miss_cost", "alarm_cost")}
        return replace(draft, threshold_rule="costs", **costs)

    def with_answer(self, answer: "DecisionDraft") -> "DecisionDraft":
        """Fill in the rarer class, or the cheapest threshold, from a reply to these inputs."""
        if self.positive_class is None:
            threshold = self.threshold if self.threshold_rule == "hand" else answer.threshold
            return replace(self, positive_class=answer.positive_class, threshold=threshold)
        if self.threshold_rule == "hand" or self.query_arguments != answer.query_arguments:
            return self
        return replace(self, threshold=answer.threshold)

    def for_class(self, name: str) -> "DecisionDraft":
        """Return a copy for another positive class, with the complementary threshold."""
        if name == self.positive_class:
            return self
        return replace(self, positive_class=name, threshold=round(1.0 - self.threshold, 9))

    @property
    def costs(self) -> tuple[float, float] | None:
        """Costs of a miss and of a false alarm; ``None`` if the threshold is set by hand."""
        return (self.miss_cost, self.alarm_cost) if self.threshold_rule == "costs" else None

    @property
    def query_arguments(self) -> dict[str, Any]:
        """The arguments of the helper task, except the run."""
        by_rule: dict[ThresholdRule, dict[str, Any]] = {
            "capacity": {"capacity": self.capacity},
            "costs": {"miss_cost": self.miss_cost, "alarm_cost": self.alarm_cost},
            "f1": {"f1_optimal": True},
            "hand": {"threshold": self.threshold},
        }
        return {"positive_class": self.positive_class, **by_rule[self.threshold_rule]}

    def make_decision(self, figures: DecisionFigures) -> Decision:
        """Return the decision to store."""
        miss, alarm = self.costs or (None, None)
        return Decision(
            figures.positive_class,
            figures.threshold,
            miss,
            alarm,
            figures.trials,
            capacity=self.capacity if self.threshold_rule == "capacity" else None,
            balanced=self.threshold_rule == "f1",
        )


def is_stored(stored: Decision | None, draft: Decision) -> bool:
    """Return whether the same decision is already stored."""
    return stored is not None and replace(stored, trials=draft.trials, result="") == draft


def describe_rule(figures: DecisionFigures, draft: DecisionDraft) -> str:
    """Describe which rows get the label, and the origin of the threshold."""
    name, share = figures.positive_class, format_threshold(figures.threshold)
    rule = tr("A row is labelled “{name}” from a probability of {share}.", name=name, share=share)
    if draft.threshold_rule == "hand":
        return rule
    if draft.threshold_rule == "f1":
        reason = tr(
            "On the validation rows, that balances rows of “{name}” found and false alarms best "
            "(F1 score).",
            name=name,
        )
    elif draft.threshold_rule == "capacity":
        return f"{rule} {_describe_capacity(figures, draft.capacity)}"
    else:
        reason = tr("That is the cheapest one on the validation rows.")
    if figures.evaluation_split == "test":
        reason = f"{reason} " + tr("The test rows were not used.")
    return f"{rule} {reason}"


def _describe_capacity(figures: DecisionFigures, capacity: float) -> str:
    """Describe how many rows reach the threshold, and why another share of other rows does."""
    share = format_threshold(capacity)
    if figures.evaluation_split == "test":
        reached = tr(
            "At most {share} of the validation rows reach it, and {tested} of the test rows, which "
            "were not used.",
            share=share,
            tested=format_share(figures.threshold_confusion.positive_rate, 0),
        )
    else:
        reached = tr("At most {share} of the validation rows reach it.", share=share)
    hint = tr(
        "This share differs from table to table. For a fixed number of new rows, see “Who first?”."
    )
    return f"{reached} {hint}"


def describe_decision(decision: Decision | None, note: str) -> str:
    """Return the current decision, and a note about it."""
    if decision is None:
        return tr("No decision yet: each row gets the predicted class.")
    values = {"name": decision.looked_for, "share": format_threshold(decision.threshold)}
    if decision.capacity is None:
        text = tr(
            "Decided: “{name}” from {share}. Predictions, exports and the report use it; "
            "probabilities do not change.",
            **values,
        )
    else:
        text = tr(
            "Decided: “{name}” from {share}, for a capacity of {capacity} of the rows. "
            "Predictions, exports and the report use it; probabilities do not change.",
            **values,
            capacity=format_threshold(decision.capacity),
        )
    return f"{text} {translate(note)}".strip()


def describe_offered_decision(run: str, other: str) -> str:
    """Describe the settings taken from the decision of another run, by both names."""
    if run == other:
        return tr("No decision for this run yet. These settings are from another run's decision.")
    return tr(
        "No decision for this run yet. These settings are from your decision for “{run}”.",
        run=other,
    )


def describe_rows(figures: DecisionFigures) -> str:
    """Name the rows on which the figures are based, and their weight if they have weights."""
    if figures.evaluation_split == "test":
        rows = ntr("On {count} test row", "On {count} test rows", figures.count)
    else:
        rows = ntr("On {count} validation row", "On {count} validation rows", figures.count)
    if not figures.is_weighted:
        return rows
    weight = format_rows(figures.threshold_confusion.total)
    return tr("{rows} with a total weight of {weight}", rows=rows, weight=weight)


def describe_caveats(figures: DecisionFigures) -> str:
    """Return caveats about the figures; empty for none."""
    notes = {
        N_(
            "There are no test rows: the models were chosen on these rows too, so the figures "
            "are optimistic."
        ): figures.evaluation_split != "test",
        N_(
            "The members of this ensemble vote. A threshold looks at the mean of their "
            "probabilities instead, so labels can differ from the vote even at 50 %."
        ): figures.is_vote,
        N_(
            "These are the members before the refit. The final ones were refitted on all rows "
            "except the test rows, so their test error, under “Answer”, can differ."
        ): figures.is_refitted,
        N_("Numbers are sums of weights, not of rows."): figures.is_weighted,
    }
    return " ".join(tr(note) for note, applies in notes.items() if applies)


def describe_costs(figures: DecisionFigures, draft: DecisionDraft) -> str:
    """Return the cost per 100 rows and the savings, in words; empty without costs."""
    if draft.costs is None:
        return ""
    counts, costs = figures.threshold_confusion, draft.costs
    cost, numeral_format = 100 * counts.compute_cost(*costs), make_cost_format(figures, *costs)
    savings = []
    for label, constant in figures.rank_constant_labels(*costs):
        saved = 100 * constant.compute_cost(*costs) - cost
        amount = format_quantity(abs(saved), figures.currency, numeral_format)
        text = N_("{amount} more than with every row labelled “{label}”")
        if saved >= 0:
            text = N_("{amount} less than with every row labelled “{label}”")
        savings.append(tr(text, amount=amount, label=label))
    first, second = savings
    cost_text = format_quantity(cost, figures.currency, numeral_format)
    text = N_("100 rows cost {cost}: {first}, and {second}.")
    return tr(text, cost=cost_text, first=first, second=second)


def make_table(figures: DecisionFigures, draft: DecisionDraft) -> tuple[list[str], list[list[str]]]:
    """Return a heading and rows that compare this threshold with the method's labels."""
    name = shorten_class(figures.positive_class)
    columns = [
        (tr("this threshold"), figures.threshold_confusion),
        (tr("without a decision"), figures.method_confusion),
    ]
    lines = list_outcome_lines(figures, [cells for _, cells in columns], name, draft.costs)
    return ["", *(title for title, _ in columns)], [[title, *texts] for title, texts in lines]


def shorten_class(name: str) -> str:
    """Shorten a class name for a table or an axis."""
    return name if len(name) <= _MAX_CLASS_LENGTH else f"{name[: _MAX_CLASS_LENGTH - 1]}…"


def make_confusion_matrix(figures: DecisionFigures) -> list[list[float]]:
    """Return the confusion matrix: true classes in rows, in the order of the classes."""
    cells: ConfusionCounts = figures.threshold_confusion
    positive = [cells.true_positives, cells.false_negatives]
    negative = [cells.true_negatives, cells.false_positives]
    if figures.positive_class == figures.classes[0]:
        return [positive, negative[::-1]]
    return [negative, positive[::-1]]
