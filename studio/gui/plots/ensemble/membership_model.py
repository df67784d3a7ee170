"""Model of the membership plot: members by iteration, contributions, and a what-if ensemble.

The what-if ensemble is never stored and does not change the run.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from studio.analysis.answers.ensemble import Contributions
from studio.arrays import AnyArray, Flags, Floats, Integers
from studio.gui.base.undo import UndoStack
from studio.gui.plots.base.series import RunSeries
from studio.gui.session.learner_names import format_named_value
from studio.language import N_, format_share, number, tr
from studio.measure import Measure

MAX_ROWS = 400
"""Maximum number of members drawn, those with the most iterations."""

MAX_COLUMNS = 1500
"""Maximum number of iterations drawn; longer runs are thinned evenly."""

ORDERS = {
    "joined": N_("As they joined"),
    "contribution": N_("By their contribution"),
    "own": N_("By their own error"),
    "weight": N_("By weight now"),
}
"""The orders of the rows; all but the first place current members at the top."""


@dataclass(frozen=True)
class MembershipData:
    """Members × iterations up to the selected one, without data of later iterations.

    Attributes:
        members: Shape (r,). Trial number of each row, in the order of first joining.
        branches: Length r. Branch of each row, which determines the colour.
        iterations: Shape (c,). Iteration of each column.
        relative_weights: Shape (r, c). Weight divided by the largest weight of the same iteration,
            in [0, 1]; 0 for non-members.
        weights: Shape (r, c). The weights themselves.
    """

    members: Integers
    branches: tuple[str, ...]
    iterations: Integers
    relative_weights: AnyArray
    weights: AnyArray
    n_omitted_members: int
    iteration: int
    n_ever_members: int
    last: int = 0

    def permute_rows(self, order: Integers) -> "MembershipData":
        """Return a copy with permuted rows; ``order`` has shape (r,)."""
        return replace(
            self,
            members=self.members[order],
            branches=tuple(self.branches[row] for row in order),
            relative_weights=self.relative_weights[order],
            weights=self.weights[order],
        )


@dataclass(frozen=True)
class MemberContributions:
    """The helper's results for one ensemble's members; initially empty.

    Attributes:
        test_losses: A member's test loss, by trial number; NaN without test rows.
        contributions, test_contributions: The ensemble's loss without the member minus that with
            it: positive if it helps.
    """

    test_losses: Mapping[int, float] = field(default_factory=dict)
    contributions: Mapping[int, float] = field(default_factory=dict)
    test_contributions: Mapping[int, float] = field(default_factory=dict)


@dataclass(frozen=True)
class MemberColumns:
    """The columns next to the raster, one element per row, in the displayed unit; NaN if unknown.

    Attributes:
        validation_losses, test_losses: Shape (r,). Each trial's validation and test error; NaN for
            later trials.
        contributions, test_contributions: Shape (r,). The contribution of each current member.
        is_member: Shape (r,). Whether it is a current member.
    """

    validation_losses: Floats
    test_losses: Floats
    contributions: Floats
    test_contributions: Floats
    is_member: Flags


class Memberships:
    """A run's raster, updated incrementally, as long runs have many memberships.

    Beyond ``MAX_COLUMNS`` iterations, every second one is kept, then every fourth, and so on; the
    newest is always kept.
    """

    def __init__(self) -> None:
        self._n_read = 0
        self._step = 1
        self._column_iterations: list[int] = []  # iterations of the columns
        self._row_trials: list[int] = []  # trial of each row, in order of joining the ensemble
        self._row_counts: list[int] = []  # number of rows by iteration
        self._durations: Integers = np.zeros(64, dtype=np.int64)  # iterations of membership, by row
        self._row_by_trial: Integers = np.full(64, -1)  # by trial number
        self._weights: AnyArray = np.zeros((64, 64), dtype=np.float32)
        self._last_data: MembershipData | None = None

    def make_data(self, series: RunSeries, chosen: int | None) -> MembershipData:
        """Return the raster up to the selected iteration, cached until run or selection changes."""
        has_new_iterations = self._n_read < len(series.iterations)
        for record in series.iterations[self._n_read :]:
            self._add_members(record.members)
        iteration = series.resolve_iteration(chosen)
        if has_new_iterations or self._last_data is None or self._last_data.iteration != iteration:
            self._last_data = self._make_data(series, iteration)
        return self._last_data

    def _add_members(self, members: Sequence[tuple[int, float]]) -> None:
        if self._column_iterations and self._column_iterations[-1] % self._step:
            self._weights[:, len(self._column_iterations) - 1] = 0.0
            self._column_iterations.pop()  # it was kept only while it was the newest
        while len(self._column_iterations) >= MAX_COLUMNS:
            self._thin_columns()
        pairs: Floats = np.array(members, dtype=np.float64).reshape(-1, 2)
        rows = self._get_rows(pairs[:, 0].astype(np.int64))
        self._row_counts.append(len(self._row_trials))
        self._durations[rows] += 1
        self._grow_arrays(n_columns=len(self._column_iterations) + 1)
        self._weights[rows, len(self._column_iterations)] = pairs[:, 1]
        self._column_iterations.append(self._n_read)
        self._n_read += 1

    def _thin_columns(self) -> None:
        self._step *= 2
        columns = enumerate(self._column_iterations)
        kept_columns = [column for column, index in columns if index % self._step == 0]
        self._weights[:, : len(kept_columns)] = self._weights[:, kept_columns]
        self._weights[:, len(kept_columns) :] = 0.0
        self._column_iterations = [self._column_iterations[column] for column in kept_columns]

    def _get_rows(self, numbers: Integers) -> Integers:
        """Return the row indices of trials, shape (k,), adding new rows."""
        highest = int(numbers.max(initial=0))
        if highest >= len(self._row_by_trial):
            self._row_by_trial = np.pad(self._row_by_trial, (0, highest), constant_values=-1)
        for trial in numbers[self._row_by_trial[numbers] < 0].tolist():
            self._row_by_trial[trial] = len(self._row_trials)
            self._row_trials.append(trial)
        self._grow_arrays(n_rows=len(self._row_trials))
        return self._row_by_trial[numbers]

    def _grow_arrays(self, n_rows: int = 0, n_columns: int = 0) -> None:
        height, width = self._weights.shape
        if n_rows > height or n_columns > width:
            more_rows = n_rows if n_rows > height else 0
            more_columns = n_columns if n_columns > width else 0
            self._weights = np.pad(self._weights, ((0, more_rows), (0, more_columns)))
            self._durations = np.pad(self._durations, (0, more_rows))

    def _select_until(
        self, series: RunSeries, iteration: int
    ) -> tuple[list[int], AnyArray, Integers]:
        """Return columns (c,), weights (r, c) and iterations per member (r,) up to an iteration."""
        n_members = self._row_counts[iteration - 1] if iteration > 0 else 0
        weights = self._weights[:n_members, : len(self._column_iterations)]
        if iteration == len(series.iterations):
            return self._column_iterations, weights, self._durations[:n_members]
        indices = [index for index in self._column_iterations if index < iteration]
        weights = weights[:, : len(indices)]
        if iteration > 0 and (not indices or indices[-1] != iteration - 1):  # a thinned column
            newest_weights = np.zeros((n_members, 1), dtype=weights.dtype)
            for number, weight in series.iterations[iteration - 1].members:
                newest_weights[self._row_by_trial[number]] = weight
            indices, weights = [*indices, iteration - 1], np.hstack([weights, newest_weights])
        return indices, weights, np.count_nonzero(weights, axis=1)

    def _make_data(self, series: RunSeries, iteration: int) -> MembershipData:
        indices, weights, durations = self._select_until(series, iteration)
        numbers = np.array(self._row_trials[: len(durations)], dtype=np.int64)
        kept_rows = np.sort(np.lexsort((numbers, -durations))[:MAX_ROWS])
        weights = weights[kept_rows]
        heaviest = weights.max(axis=0, initial=0.0)
        heaviest[heaviest == 0] = 1.0
        strength = weights / heaviest
        return MembershipData(
            members=numbers[kept_rows],
            branches=tuple(series.get_branch(number) for number in numbers[kept_rows].tolist()),
            iterations=np.array(
                [series.iterations[index].number for index in indices], dtype=np.int64
            ),
            relative_weights=strength,
            weights=weights,
            n_omitted_members=len(numbers) - len(kept_rows),
            iteration=iteration,
            n_ever_members=len(numbers),
            last=len(series.iterations),
        )


def read_contributions(answer: Contributions) -> MemberContributions:
    """Return the results for an iteration's members by trial number, from arrays (m,)."""

    def index_by_number(values: Floats) -> dict[int, float]:
        return dict(zip(answer.members.tolist(), values.tolist(), strict=True))

    return MemberContributions(
        index_by_number(answer.member_test_losses),
        index_by_number(answer.adds_validation),
        index_by_number(answer.adds_test),
    )


def compute_columns(
    series: RunSeries, data: MembershipData, contributions: MemberContributions
) -> MemberColumns:
    """Compute the columns of a raster.

    Args:
        contributions: The helper's results; those of another iteration are used for unchanged
            members.
    """
    factor, iteration = series.measure.factor, data.iteration
    members = dict(series.iterations[iteration - 1].members) if iteration > 0 else {}

    def get_known(values: Mapping[int, float]) -> Floats:
        by_row = [values.get(int(n), np.nan) if int(n) in members else np.nan for n in data.members]
        return factor * np.array(by_row, dtype=float)

    losses = np.array([series.losses[n - 1] if n <= iteration else np.nan for n in data.members])
    return MemberColumns(
        validation_losses=factor * losses.astype(float),
        test_losses=get_known(contributions.test_losses),
        contributions=get_known(contributions.contributions),
        test_contributions=get_known(contributions.test_contributions),
        is_member=np.array([int(n) in members for n in data.members], dtype=np.bool_),
    )


def sort_rows(
    series: RunSeries, data: MembershipData, columns: MemberColumns, order: str
) -> Integers:
    """Return the rows in an order of :data:`ORDERS`, shape (r,); ties in order of joining."""
    rows = np.arange(len(data.members))
    if order == "joined":
        return rows
    iteration = data.iteration
    weights = dict(series.iterations[iteration - 1].members) if iteration > 0 else {}
    keys = {
        "contribution": -columns.contributions,
        "own": columns.validation_losses,
        "weight": -np.array([weights.get(int(n), 0.0) for n in data.members]),
    }
    key = np.where(np.isnan(keys[order]), np.inf, keys[order])
    return np.lexsort((rows, key, ~columns.is_member))


def get_cell_opacities(data: MembershipData) -> AnyArray:
    """Return the opacity of each cell, shape (r, c): 0 for non-members, 0.3 to 1 by weight."""
    return np.where(data.relative_weights > 0, 0.3 + 0.7 * data.relative_weights, 0.0)


def describe_membership(series: RunSeries, data: MembershipData, row: int, column: int) -> str:
    """Describe a cell of the raster; empty outside of it."""
    if not (0 <= row < len(data.members) and 0 <= column < len(data.iterations)):
        return ""
    number, iteration = int(data.members[row]), int(data.iterations[column])
    weight = data.weights[row, column]
    inside = (
        tr("weight {weight}", weight=format_share(weight)) if weight > 0 else tr("not a member")
    )
    name = series.get_name(number)
    text = N_("iteration {iteration}  ·  {trial}: {inside}")
    parts = [tr(text, iteration=iteration, trial=name, inside=inside)]
    trial = series.get_trial(number)
    if trial is not None:
        parts.append(tr("alone {loss}", loss=series.measure.format_loss(trial.loss)))
    stayed, n_all = int((data.relative_weights[row] > 0).sum()), len(data.iterations)
    text = N_("in the ensemble in {stayed} of the {all} iterations shown")
    return "  ·  ".join([*parts, tr(text, stayed=stayed, all=n_all)])


def describe_member(
    series: RunSeries, data: MembershipData, columns: MemberColumns, row: int
) -> str:
    """Describe a trial's error and its contribution; empty if there is no such row."""
    if not 0 <= row < len(data.members):
        return ""
    name, measure = series.get_name(int(data.members[row])), series.measure
    if np.isnan(columns.validation_losses[row]):
        return tr("{trial} had not finished by this iteration", trial=name)
    loss = _format_loss(columns.validation_losses[row], measure)
    text = tr("{trial}: alone {loss}", trial=name, loss=loss)
    if np.isfinite(columns.test_losses[row]):
        text += tr(" (test {loss})", loss=_format_loss(columns.test_losses[row], measure))
    if not columns.is_member[row]:
        return text + "  ·  " + tr("not a member now")
    if columns.is_member.sum() == 1:
        return text + "  ·  " + tr("the only member")
    if np.isnan(columns.contributions[row]):  # not yet computed
        return text
    text += "  ·  " + _describe_contribution(columns.contributions[row], measure, tr("validation"))
    if np.isfinite(columns.test_contributions[row]):
        text += ", " + _describe_contribution(columns.test_contributions[row], measure, tr("test"))
    return text


def _describe_contribution(adds: float, measure: Measure, rows: str) -> str:
    if adds == 0:
        return tr("{rows}: the ensemble is the same without it", rows=rows)
    change = number(abs(adds), ".2f" if measure.unit == "%" else ".3g")
    unit = tr("points") if measure.unit == "%" else measure.unit
    text = tr("{rows}: better by {change} {unit} without it")
    if adds > 0:
        text = tr("{rows}: worse by {change} {unit} without it")
    return text.format(rows=rows, change=change, unit=unit).replace("  ", " ")


def _format_loss(value: float, measure: Measure) -> str:
    return measure.format_loss(float(value) / measure.factor)


MAX_MEMBER_SHARE = 0.99
"""Maximum weight of one of several members."""


@dataclass(frozen=True)
class WhatIfMember:
    """One row of the list; removed members are kept, and only relative weights matter."""

    number: int
    weight: float
    is_ticked: bool = True


@dataclass(frozen=True)
class WhatIfEnsemble:
    """Members of the what-if ensemble; the heaviest of the search's ensemble first."""

    entries: tuple[WhatIfMember, ...] = ()
    is_edited: bool = False


class WhatIfModel:
    """State of the what-if ensemble. The widget shows it and queries the helper.

    Attributes:
        history: The current list, and the lists before each manual change.
    """

    def __init__(self) -> None:
        self.history = UndoStack(WhatIfEnsemble())
        self._search_members: tuple[tuple[int, float], ...] = ()

    def follow(self, members: Sequence[tuple[int, float]]) -> None:
        """Update to the search's ensemble, unless the user has edited it."""
        self._search_members = tuple(sorted(members, key=lambda member: (-member[1], member[0])))
        if not self.is_edited and self._make_search_ensemble() != self.history.value:
            self.history.reset(self._make_search_ensemble())

    def clear(self) -> None:
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
    def is_edited(self) -> bool:
        """Whether the user has edited the search's ensemble."""
        return self.history.value.is_edited

    def list_members(self, iteration: int) -> list[tuple[int, float]]:
        """Return the checked trials finished by an iteration, with their weights."""
        return [
            (entry.number, entry.weight)
            for entry in self.entries
            if entry.is_ticked and entry.number <= iteration
        ]

    def get_share(self, number: int, iteration: int) -> float:
        """Return a trial's share of the total weight, in [0, 1]; 0 for a non-member."""
        members = dict(self.list_members(iteration))
        return members.get(number, 0.0) / sum(members.values()) if members else 0.0

    # Edits --------------------------------------------------------------------------------

    def set_checked(self, number: int, ticked: bool) -> None:
        """Add a trial of the list to the ensemble, or remove it."""
        text = tr("add trial {number}") if ticked else tr("remove trial {number}")
        self._push(self._copy_entries(number, is_ticked=ticked), text.format(number=number))

    def add(self, numbers: Sequence[int]) -> None:
        """Add trials, each with the members' mean weight."""
        listed_numbers = {entry.number for entry in self.entries}
        weights = [entry.weight for entry in self.entries if entry.is_ticked]
        mean = sum(weights) / len(weights) if weights else 1.0
        entries = [
            replace(entry, is_ticked=True) if entry.number in numbers else entry
            for entry in self.entries
        ]
        entries += [
            WhatIfMember(number, mean) for number in numbers if number not in listed_numbers
        ]
        self._push(entries, tr("add a trial") if len(numbers) == 1 else tr("add trials"))

    def toggle(self, number: int) -> None:
        """Add or remove a trial, whether or not it is listed."""
        ticked = {entry.number: entry.is_ticked for entry in self.entries}
        if number in ticked:
            self.set_checked(number, not ticked[number])
        else:
            self.add([number])

    def set_share(self, number: int, share: float) -> None:
        """Set a member's share of the weight, in (0, 1); the others keep their proportions."""
        others = (entry for entry in self.entries if entry.is_ticked and entry.number != number)
        other_weight = sum(entry.weight for entry in others)
        if other_weight <= 0 or share <= 0:
            return
        share = min(share, MAX_MEMBER_SHARE)
        entries = self._copy_entries(number, weight=other_weight * share / (1.0 - share))
        self._push(entries, tr("change the weight of trial {number}", number=number))

    def _copy_entries(self, number: int, **changes: Any) -> list[WhatIfMember]:
        return [
            replace(entry, **changes) if entry.number == number else entry for entry in self.entries
        ]

    def reset(self) -> None:
        """Reset to the search's ensemble; this can be undone."""
        if self.is_edited:
            self.history.push(self._make_search_ensemble(), tr("return to the search's ensemble"))

    def _push(self, entries: Sequence[WhatIfMember], label: str) -> None:
        if tuple(entries) != self.entries:
            self.history.push(WhatIfEnsemble(tuple(entries), is_edited=True), label)


def compare_losses(
    what_if: float | None, actual: float | None, measure: Measure, *, may_be_chance: bool = False
) -> str:
    """Compare two losses in words: "what-if 3.10 % (actual 2.80 %): worse by 0.30 points"."""
    texts = {"edited": measure.format_loss(what_if), "actual": measure.format_loss(actual)}
    text = tr("what-if {edited} (actual {actual})", **texts)
    if what_if is None or actual is None:
        return text
    change = measure.format_briefly(abs(what_if - actual))
    if measure.unit == "%":
        change = tr("{number} points", number=number(abs(what_if - actual) * 100, ".2f"))
    if abs(actual - what_if) < 1e-12:
        return text + tr(": the same")
    is_better = actual > what_if
    comparison = tr(": worse by {change}", change=change)
    if is_better:
        comparison = tr(": better by {change}", change=change)
    return text + comparison + (tr("; may be chance") if may_be_chance else "")


@dataclass(frozen=True)
class AvailableTrial:
    """A finished trial that can be added.

    Attributes:
        name: "trial 12 (rbf-svm)".
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


def list_available_trials(
    series: RunSeries, iteration: int, members: Sequence[int]
) -> list[AvailableTrial]:
    """Return the trials that succeeded by an iteration and are not members, the best first."""
    available = []
    for trial in series.trials[:iteration]:
        if trial.loss is None or trial.number in members:
            continue
        settings = ", ".join(
            f"{name} {format_named_value(name, value)}"
            for name, value in trial.configuration.items()
            if name != series.branch_parameter
        )
        available.append(
            AvailableTrial(trial.number, series.get_name(trial.number), trial.loss, settings)
        )
    return sorted(available, key=lambda offer: (offer.loss, offer.number))
