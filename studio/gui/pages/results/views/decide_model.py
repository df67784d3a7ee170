"""Model of a decision for two classes: tried and stored thresholds, in words."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from studio.analysis.answers.predictions import Confusion, DecisionFigures
from studio.document.decision import Decision
from studio.document.runs import RunRow
from studio.language import group_digits, ntr, number, percent, tr, translate
from studio.measure import NOTHING, format_threshold, write_amount
from studio.numerals import NumeralFormat

Way = Literal["balance", "hand", "costs", "capacity"]

_MONEY_DIGITS = 3
"""Digits of the largest cost; the others have as many decimals."""

_LONGEST = 24
"""Maximum length of a class name that cannot wrap."""


def describe_decision_link(row: RunRow) -> str:
    """Return the text of the link to the decision view."""
    if row.decision is None:
        return tr("Set the threshold: the probability from which rows get the label")
    if row.decision_note:
        return tr("Your decision was made for an earlier result of this run: check it")
    return tr("Your decision changes labels: see its effect")


@dataclass(frozen=True)
class DecisionDraft:
    """A decision that is tried before it is stored.

    Attributes:
        looked_for: The positive class; ``None`` until the rarer one is known.
        threshold: In [0, 1]: chosen by hand, or computed.
        way: How the threshold is chosen.
        handled: The share of rows that can be handled, in [0, 1].
    """

    looked_for: str | None = None
    threshold: float = 0.5
    way: Way = "balance"
    miss: float = 5.0
    alarm: float = 1.0
    handled: float = 0.1

    @classmethod
    def from_decision(cls, kept: Decision | None) -> "DecisionDraft":
        """Return a stored decision as a starting point."""
        if kept is None:
            return cls()
        if kept.capacity is not None:
            return cls(kept.looked_for, kept.threshold, "capacity", handled=kept.capacity)
        if kept.miss_cost is None or kept.alarm_cost is None:
            way: Way = "balance" if kept.balanced else "hand"
            return cls(kept.looked_for, kept.threshold, way)
        return cls(kept.looked_for, kept.threshold, "costs", kept.miss_cost, kept.alarm_cost)

    @classmethod
    def from_answer(cls, asked: Mapping[str, Any], found: DecisionFigures) -> "DecisionDraft":
        """Return the decision of an answer and its request (:attr:`asked`)."""
        made = cls(found.looked_for, found.threshold, "balance" if found.balanced else "hand")
        if asked.get("capacity") is not None:
            return replace(made, way="capacity", handled=asked["capacity"])
        if asked.get("miss_cost") is None:
            return made
        return replace(made, way="costs", miss=asked["miss_cost"], alarm=asked["alarm_cost"])

    def with_answer(self, found: "DecisionDraft") -> "DecisionDraft":
        """Fill in values from an answer: the rarer class, or the cheapest threshold.

        An answer to something else that was tried before says nothing.
        """
        if self.looked_for is None:
            known = self.threshold if self.way == "hand" else found.threshold
            return replace(self, looked_for=found.looked_for, threshold=known)
        if self.way == "hand" or self.query_arguments != found.query_arguments:
            return self
        return replace(self, threshold=found.threshold)

    def for_class(self, name: str) -> "DecisionDraft":
        """Return a copy for another positive class, with the complementary threshold."""
        if name == self.looked_for:
            return self
        return replace(self, looked_for=name, threshold=round(1.0 - self.threshold, 9))

    @property
    def costs(self) -> tuple[float, float] | None:
        """Costs of a miss and of a false alarm; ``None`` if the threshold is set by hand."""
        return (self.miss, self.alarm) if self.way == "costs" else None

    @property
    def query_arguments(self) -> dict[str, Any]:
        """The helper's arguments, apart from the run."""
        if self.way == "capacity":
            return {"looked_for": self.looked_for, "capacity": self.handled}
        if self.way == "costs":
            return {
                "looked_for": self.looked_for,
                "miss_cost": self.miss,
                "alarm_cost": self.alarm,
            }
        if self.way == "balance":
            return {"looked_for": self.looked_for, "balanced": True}
        return {"looked_for": self.looked_for, "threshold": self.threshold}

    def decision(self, found: DecisionFigures) -> Decision:
        """Return the decision to store."""
        miss, alarm = self.costs or (None, None)
        return Decision(
            found.looked_for,
            found.threshold,
            miss,
            alarm,
            found.trials,
            capacity=self.handled if self.way == "capacity" else None,
            balanced=self.way == "balance",
        )


def is_stored(kept: Decision | None, tried: Decision) -> bool:
    """Return whether the same decision is stored already."""
    return kept is not None and replace(kept, trials=tried.trials, result="") == tried


def other_class(found: DecisionFigures) -> str:
    """Return the negative class."""
    return next(each for each in found.classes if each != found.looked_for)


def describe_rule(found: DecisionFigures, tried: DecisionDraft) -> str:
    """Describe which rows get the label, and the origin of the threshold."""
    rule = tr(
        "A row is labelled “{name}” from a probability of {share}.",
        name=found.looked_for,
        share=format_threshold(found.threshold),
    )
    if tried.way == "hand":
        return rule
    if tried.way == "balance":
        why = tr(
            "On the validation rows, that balances rows of “{name}” found and false alarms best "
            "(F1 score).",
            name=found.looked_for,
        )
    elif tried.way == "capacity":
        share = format_threshold(tried.handled)
        why = tr("At most {share} of the validation rows reach it.", share=share)
    else:
        why = tr("That is the cheapest one on the validation rows.")
    if found.judged == "test":
        why = f"{why} " + tr("The test rows were not used.")
    return f"{rule} {why}"


def describe_kept_decision(kept: Decision | None, note: str) -> str:
    """Return the current decision, and a note about it."""
    if kept is None:
        return tr("No decision yet: each row gets the predicted class.")
    values = {"name": kept.looked_for, "share": format_threshold(kept.threshold)}
    if kept.capacity is None:
        words = tr(
            "Decided: “{name}” from {share}. Predictions, exports and the report use it; "
            "probabilities do not change.",
            **values,
        )
    else:
        words = tr(
            "Decided: “{name}” from {share}, for a capacity of {capacity} of the rows. "
            "Predictions, exports and the report use it; probabilities do not change.",
            **values,
            capacity=format_threshold(kept.capacity),
        )
    return f"{words} {translate(note)}".strip()


def describe_rows(found: DecisionFigures) -> str:
    """Name the rows on which the figures are based."""
    if found.judged == "test":
        head = ntr("On {count} test row", "On {count} test rows", found.count)
    else:
        head = ntr("On {count} validation row", "On {count} validation rows", found.count)
    return head


def describe_caveats(found: DecisionFigures) -> str:
    """Return caveats about the figures; empty for none."""
    notes = []
    if found.judged != "test":
        notes.append(
            tr(
                "There are no test rows: the models were chosen on these rows too, so the figures "
                "are optimistic."
            )
        )
    if found.votes:
        notes.append(
            tr(
                "The members of this ensemble vote. A threshold looks at the mean of their "
                "probabilities instead, so labels can differ from the vote even at 50 %."
            )
        )
    if found.refitted:
        notes.append(
            tr(
                "These are the members as the search trained them. The final ones were refitted "
                "on all rows except the test rows, so their test error, under “Answer”, can "
                "differ."
            )
        )
    if found.weighted:
        notes.append(tr("Rows count by their weight."))
    return " ".join(notes)


def describe_costs(found: DecisionFigures, tried: DecisionDraft) -> str:
    """Return the cost per 100 rows and the savings, in words; empty without costs."""
    if tried.costs is None:
        return ""
    cost = 100 * found.decided.cost(*tried.costs)
    never = 100 * found.decided.all_negative.cost(*tried.costs) - cost
    always = 100 * found.decided.all_positive.cost(*tried.costs) - cost
    how = NumeralFormat.together([cost, never, always], _MONEY_DIGITS)
    beside = []
    for saved, label in ((never, other_class(found)), (always, found.looked_for)):
        values = {"amount": write_amount(abs(saved), found.currency, how)}
        values["label"] = label
        if saved >= 0:
            beside.append(tr("{amount} less than with every row labelled “{label}”", **values))
        else:
            beside.append(tr("{amount} more than with every row labelled “{label}”", **values))
    first, second = beside
    return tr(
        "100 rows cost {cost}: {first}, and {second}.",
        cost=write_amount(cost, found.currency, how),
        first=first,
        second=second,
    )


def table(found: DecisionFigures, tried: DecisionDraft) -> tuple[list[str], list[list[str]]]:
    """Return a heading and rows that compare this threshold with the method's labels."""
    name = shorten_class(found.looked_for)
    columns = [
        (tr("this threshold"), found.decided),
        (tr("without a decision"), found.usual),
    ]
    lines: list[tuple[str, Callable[[Confusion], str]]] = [
        (
            tr("“{name}” found (recall)", name=name),
            lambda c: _format_share(c.found, c.found + c.missed),
        ),
        (tr("false alarms"), lambda c: _format_share(c.alarms, c.alarms + c.passed)),
        (
            tr("“{name}” predictions that are correct (precision)", name=name),
            lambda c: _format_share(c.found, c.found + c.alarms),
        ),
        (tr("correct overall (accuracy)"), lambda c: _format_share(c.found + c.passed, c.total)),
    ]
    if (costs := tried.costs) is not None:
        cells = [100 * each.cost(*costs) for _, each in columns]
        how = NumeralFormat.together(cells, _MONEY_DIGITS)
        lines.append(
            (
                tr("cost of 100 rows"),
                lambda c: write_amount(100 * c.cost(*costs), found.currency, how),
            )
        )
    return ["", *(title for title, _ in columns)], [
        [title, *(text(cells) for _, cells in columns)] for title, text in lines
    ]


def shorten_class(name: str) -> str:
    """Shorten a class name for a table or an axis."""
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"


def _format_share(part: float, whole: float) -> str:
    """Format a share with its base."""
    if not whole:
        return NOTHING
    return tr(
        "{share} ({part} of {whole})",
        share=percent(part / whole, 0),
        part=format_rows(part),
        whole=format_rows(whole),
    )


def format_rows(rows: float) -> str:
    """Format a number of rows, or their total weight."""
    return group_digits(int(rows)) if rows == int(rows) else number(rows, ".4g")


def matrix(found: DecisionFigures) -> list[list[float]]:
    """Return the confusion matrix: true classes downwards, in the order of the classes."""
    cells: Confusion = found.decided
    if found.looked_for == found.classes[0]:
        return [[cells.found, cells.missed], [cells.alarms, cells.passed]]
    return [[cells.passed, cells.alarms], [cells.missed, cells.found]]
