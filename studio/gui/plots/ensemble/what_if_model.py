"""A what-if ensemble: members, weights, comparison with the run's own; with undo.

It is an experiment on paper: nothing of it is stored, and the run is not changed.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from studio.gui.base.undo import UndoStack
from studio.gui.plots.base.series import RunSeries
from studio.gui.session.learner_names import format_value
from studio.language import number, tr
from studio.measure import Measure

MAX_TIME_SHARE = 0.99
"""Maximum weight of one of several members."""


@dataclass(frozen=True)
class WhatIfMember:
    """One row of the list; removed members stay, and only proportions of weights count."""

    number: int
    weight: float
    ticked: bool = True


@dataclass(frozen=True)
class WhatIfEnsemble:
    """Members of the what-if ensemble.

    Attributes:
        entries: The heaviest members of the search's ensemble first.
        touched: Whether it differs from the search's ensemble.
    """

    entries: tuple[WhatIfMember, ...] = ()
    touched: bool = False


class WhatIfModel:
    """State of the what-if ensemble. The widget shows it and queries the helper.

    Attributes:
        history: The current list, and those before each change by hand.
    """

    def __init__(self) -> None:
        self.history = UndoStack(WhatIfEnsemble())
        self._search_members: tuple[tuple[int, float], ...] = ()

    def follow(self, members: Sequence[tuple[int, float]]) -> None:
        """Update to the search's ensemble, unless the user has edited it."""
        self._search_members = tuple(sorted(members, key=lambda member: (-member[1], member[0])))
        if not self.touched and self._make_search_ensemble() != self.history.value:
            self.history.reset(self._make_search_ensemble())

    def forget(self) -> None:
        """Reset for another run."""
        self._search_members = ()
        self.history.reset(WhatIfEnsemble())

    def _make_search_ensemble(self) -> WhatIfEnsemble:
        return WhatIfEnsemble(
            tuple(WhatIfMember(number, weight) for number, weight in self._search_members)
        )

    # Queries ------------------------------------------------------------------------------

    @property
    def entries(self) -> tuple[WhatIfMember, ...]:
        """The rows of the list."""
        return self.history.value.entries

    @property
    def touched(self) -> bool:
        """Whether the user has edited the search's ensemble."""
        return self.history.value.touched

    def members(self, iteration: int) -> list[tuple[int, float]]:
        """Return the checked trials finished by an iteration, with their weights."""
        return [
            (entry.number, entry.weight)
            for entry in self.entries
            if entry.ticked and entry.number <= iteration
        ]

    def share(self, number: int, iteration: int) -> float:
        """Return a trial's weight as a share of all, in [0, 1]; 0 for a non-member."""
        members = dict(self.members(iteration))
        return members.get(number, 0.0) / sum(members.values()) if members else 0.0

    # Edits --------------------------------------------------------------------------------

    def set_checked(self, number: int, ticked: bool) -> None:
        """Add or remove a trial of the list."""
        text = tr("add trial {number}") if ticked else tr("remove trial {number}")
        self._push(self._copy_entries(number, ticked=ticked), text.format(number=number))

    def add(self, numbers: Sequence[int]) -> None:
        """Add trials, each with the members' mean weight."""
        numbers_before = {entry.number for entry in self.entries}
        weights = [entry.weight for entry in self.entries if entry.ticked]
        mean = sum(weights) / len(weights) if weights else 1.0
        entries = [
            replace(entry, ticked=True) if entry.number in numbers else entry
            for entry in self.entries
        ]
        entries += [
            WhatIfMember(number, mean) for number in numbers if number not in numbers_before
        ]
        self._push(entries, tr("add a trial") if len(numbers) == 1 else tr("add trials"))

    def toggle(self, number: int) -> None:
        """Add or remove a trial, listed or not."""
        ticked = {entry.number: entry.ticked for entry in self.entries}
        if number in ticked:
            self.set_checked(number, not ticked[number])
        else:
            self.add([number])

    def set_share(self, number: int, share: float) -> None:
        """Set a member's share of the weight, in (0, 1); the others keep their proportions."""
        other_weight = sum(
            entry.weight for entry in self.entries if entry.ticked and entry.number != number
        )
        if other_weight <= 0 or share <= 0:
            return
        share = min(share, MAX_TIME_SHARE)
        entries = self._copy_entries(number, weight=other_weight * share / (1.0 - share))
        self._push(entries, tr("change the weight of trial {number}", number=number))

    def _copy_entries(self, number: int, **changes: Any) -> list[WhatIfMember]:
        return [
            replace(entry, **changes) if entry.number == number else entry for entry in self.entries
        ]

    def reset(self) -> None:
        """Reset to the search's ensemble; this can be undone."""
        if self.touched:
            self.history.push(self._make_search_ensemble(), tr("return to the search's ensemble"))

    def _push(self, entries: Sequence[WhatIfMember], label: str) -> None:
        if tuple(entries) != self.entries:
            self.history.push(WhatIfEnsemble(tuple(entries), touched=True), label)


def compare_losses(hand: float | None, real: float | None, measure: Measure) -> str:
    """Compare two losses in words: "what-if 3.10 % (actual 2.80 %): worse by 0.30 %"."""
    text = tr("what-if {hand} (actual {real})", hand=measure.text(hand), real=measure.text(real))
    if hand is None or real is None:
        return text
    change = measure.text(abs(hand - real))
    if measure.unit == "%":
        change = tr("{number} points", number=number(abs(hand - real) * 100, ".2f"))
    return (
        text
        + {
            1: tr(": better by {change}", change=change),
            -1: tr(": worse by {change}", change=change),
            0: tr(": the same"),
        }[_get_sign(real - hand)]
    )


def _get_sign(value: float) -> int:
    return 0 if abs(value) < 1e-12 else 1 if value > 0 else -1


@dataclass(frozen=True)
class OfferedTrial:
    """A finished trial that can be added.

    Attributes:
        number: The trial.
        name: "trial 12 (rbf-svm)".
        loss: Its own loss.
        settings: Its hyperparameters in one line, for reading and searching.
    """

    number: int
    name: str
    loss: float
    settings: str

    def matches(self, query: str) -> bool:
        """Whether its name or settings contain all words of a search."""
        text = f"{self.name} {self.settings}".casefold()
        return all(word in text for word in query.casefold().split())


def list_offered_trials(
    series: RunSeries, iteration: int, taken: Sequence[int]
) -> list[OfferedTrial]:
    """Return the successful trials by an iteration that are no members, the best first."""
    offers = []
    for trial in series.trials[:iteration]:
        if trial.loss is None or trial.number in taken:
            continue
        settings = ", ".join(
            f"{name} {format_value(value)}"
            for name, value in trial.configuration.items()
            if name != series.branch_parameter
        )
        offers.append(OfferedTrial(trial.number, series.name(trial.number), trial.loss, settings))
    return sorted(offers, key=lambda offer: (offer.loss, offer.number))
