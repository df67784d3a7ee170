"""What an ensemble looks at: what the helper's answers mean for the plot of the columns."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from studio.analysis.answers.column_effects import ColumnEffects, Dependence
from studio.analysis.answers.column_plan import Plan
from studio.analysis.column_words import asked_rows, class_of
from studio.data.dates import text_of
from studio.gui.base.language import N_, cell, named, ntr, number, percent, tr, translate
from studio.measure import Measure, duration

IMPORTANCE, DEPENDENCE = "importance", "dependence"

VIEWS = {IMPORTANCE: N_("Importance"), DEPENDENCE: N_("Effect of a column")}
"""The views, in the order of the chooser."""

SUMMARIES = {
    IMPORTANCE: N_("How much worse the ensemble gets when a column is shuffled."),
    DEPENDENCE: N_(
        "What the ensemble predicts on average if a column had this value in every row."
    ),
}
"""What is seen, by view."""

MAX_BARS = 25
"""Columns that are drawn; all are in the numbers to export."""

_MIN_SPAN = 0.02
"""Shares that the axis of a dependence covers at least: a flat line should look flat."""


@dataclass(frozen=True)
class Effects:
    """An answer that is complete.

    Attributes:
        iteration: Whose ensemble.
        found: The result.
    """

    iteration: int
    found: ColumnEffects

    @property
    def names(self) -> tuple[str, ...]:
        """The columns."""
        return self.found.plan.names

    def title(self, name: str) -> str:
        """Return what a column is called in the language in force."""
        return next((named(each) for each in self.names if each == name), name)

    @property
    def measure(self) -> Measure:
        """The loss that tells what columns are worth."""
        return Measure.of(translate(self.found.metric), self.found.unit)

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes; empty for values."""
        return self.found.plan.classes

    def knows(self, name: str) -> bool:
        """Say whether the column's dependence has been worked out."""
        return name in self.names and self.names.index(name) in self.found.dependences

    def dependence(self, name: str) -> Dependence:
        """Return the dependence of a column that has been worked out; categories at 0, 1, …."""
        found = self.found.dependences[self.names.index(name)]
        if not found.labels:
            return found
        return replace(found, grid=np.arange(len(found.labels), dtype=float))

    def class_moved(self, name: str) -> int:
        """Return the class to look at first: the one looked for, or whom the column moves most."""
        return class_of(self.dependence(name), self.found.plan)

    def columns(self, name: str) -> dict[str, Sequence[Any]]:
        """Return a column's dependence as a table."""
        found = self.dependence(name)
        heads = self.classes or ("mean prediction",)
        values: list[Any] = list(found.labels) or found.grid.tolist()
        return {name: values} | dict(zip(heads, found.means.T.tolist(), strict=True))

    def range_of(self, code: int) -> tuple[float, float]:
        """Return the lowest and the highest mean over all columns that are known.

        All columns have one scale, so that their lines can be compared.
        """
        place = code if self.classes else 0
        means = [
            np.append(each.means[:, place], each.missing_means[place : place + 1])
            for each in self.found.dependences.values()
            if len(each.means)
        ]
        low = min(float(each.min()) for each in means)
        high = max(float(each.max()) for each in means)
        least = _MIN_SPAN if self.classes else 1e-9 + 0.01 * max(abs(low), abs(high))
        if high - low < least:
            middle = (low + high) / 2
            low, high = middle - least / 2, middle + least / 2
        return low, high


@dataclass(frozen=True)
class ColumnsPicture:
    """What the plot draws.

    Attributes:
        plan: What there is to do at the iteration looked at.
        effects: What is known, perhaps of an earlier ensemble.
        current: Whether that is of the very ensemble looked at.
    """

    plan: Plan
    effects: Effects | None
    current: bool

    @property
    def shown(self) -> tuple[int, ...]:
        """The columns that are drawn, by number, from top to bottom."""
        if self.effects is not None:
            return tuple(self.effects.found.order[:MAX_BARS].tolist())
        return tuple(range(min(MAX_BARS, len(self.plan.names))))

    @property
    def names(self) -> tuple[str, ...]:
        """All columns."""
        return self.plan.names


# Sentences ----------------------------------------------------------------------------------


def estimate_words(plan: Plan) -> str:
    """Say what would be done, and how long it takes."""
    seconds = plan.fit_seconds
    if not seconds:
        return tr(
            "Uses {members}, shuffling {columns} on {rows} ({limit} at most).",
            members=_members(plan),
            columns=ntr("{count} column", "{count} columns", plan.n_columns),
            rows=ntr("{count} row", "{count} rows", plan.rows),
            limit=duration(plan.ask_seconds),
        )
    return tr(
        "Refits {members} (about {seconds}), then shuffles {columns} on {rows} ({limit} at most).",
        members=_members(plan),
        seconds=duration(max(1.0, float(math.ceil(seconds)))),
        columns=ntr("{count} column", "{count} columns", plan.n_columns),
        rows=ntr("{count} row", "{count} rows", plan.rows),
        limit=duration(plan.ask_seconds),
    )


def done_words(effects: Effects, drawn: int) -> str:
    """Say what was done, of which this many columns are drawn."""
    plan = effects.found.plan
    weight = plan.weight
    words = [_members(plan)]
    if round(100 * weight) < 100:
        words = [tr("{members} ({weight} of the weight)", members=words[0],
                    weight=percent(weight, 0))]  # fmt: skip
    words.append(translate(asked_rows(plan)))
    repetitions = len(effects.found.rises)
    words.append(ntr("{count} repetition", "{count} repetitions", repetitions))
    words.append(tr("unshuffled {loss}", loss=effects.measure.text(effects.found.loss)))
    if plan.folds > 1:
        words.append(tr("first of {folds} folds", folds=plan.folds))
    more = plan.not_among(effects.found.order[:drawn].tolist())
    if more > 0:
        words.append(ntr("{count} column not drawn", "{count} columns not drawn", more))
    return "  ·  ".join(words)


def stale_words(effects: Effects) -> str:
    """Say that the ensemble has changed since."""
    return tr(
        "Computed at iteration {iteration}; the ensemble is a different one here.",
        iteration=effects.iteration,
    )


def left_out_words(effects: Effects) -> str:
    """Say which members could not be refitted; empty for none."""
    return " ".join(translate(note) for note in effects.found.notes)


def _members(plan: Plan) -> str:
    taken, whole = len(plan.members), plan.of_members
    if taken == whole:
        return ntr("the {count} member", "all {count} members", whole)
    return tr("the heaviest {taken} of {whole} members", taken=taken, whole=whole)


def rise_label(effects: Effects | None) -> str:
    """Name the axis of the importance."""
    if effects is None:
        return tr("rise of the loss when shuffled")
    title = effects.measure.title
    if effects.found.unit != "target":
        return tr("rise of the {title} when shuffled", title=title)
    target = effects.found.plan.target
    return tr("rise of the {title} when shuffled (unit of {target})", title=title, target=target)


def rise_text(effects: Effects, column: int) -> str:
    """Write a column's importance: "+3.5 (2.1 to 4.8)"."""
    found = effects.found
    value, low, high = (
        effects.measure.factor * float(each[column])
        for each in (found.worth, found.low, found.high)
    )
    if math.isnan(value):
        return tr("not tried")
    half = (high - low) / 2
    # Two digits of how unsure it is, and as many decimals of the mean: more would be noise.
    decimals = min(6, max(0, 1 - math.floor(math.log10(half)))) if half > 0 else 2

    def written(each: float, form: str = "") -> str:
        return number(each + 0.0, f"{form},.{decimals}f").replace("-", "−")

    if not half > 0:
        return written(value, "+")
    return tr(
        "{value} ({low} to {high})",
        value=written(value, "+"),
        low=written(low),
        high=written(high),
    )


def bar_words(picture: ColumnsPicture, row: int) -> str:
    """Say what a bar means."""
    if not 0 <= row < len(picture.shown):
        return ""
    column = picture.shown[row]
    name = named(picture.names[column])
    if picture.effects is None:
        return tr("{name}: not computed yet", name=name)
    text = rise_text(picture.effects, column)
    return tr("{name} shuffled: {text}  ·  click: its effect", name=name, text=text)


def value_words(found: Dependence, place: int) -> str:
    """Write a value of a column: a label, a date or a number."""
    if found.labels:
        return found.labels[place]
    value = float(found.grid[place])
    return text_of(value)[:10] if found.dates else cell(value)


def effect_words(effects: Effects, name: str, code: int, x: float) -> str:
    """Read a dependence at a place of the x-axis."""
    found = effects.dependence(name)
    if not len(found.grid):
        return ""
    starts, ends = found.bars
    beyond = found.missing_bar
    if beyond is not None and beyond[0] <= x <= beyond[1]:
        mean = float(found.missing_means[code if effects.classes else 0])
        return tr(
            "{name} missing: {mean}  ·  {rows}",
            name=effects.title(name),
            mean=mean_text(effects, mean, code),
            rows=ntr("{count} row", "{count} rows", found.missing),
        )
    reach = 0.5 * (ends[0] - starts[0])
    if not found.grid[0] - reach <= x <= found.grid[-1] + reach:
        return ""
    place = int(np.abs(found.grid - x).argmin())
    bar = (
        place if not len(found.edges) else int(np.clip(np.searchsorted(ends, x), 0, len(ends) - 1))
    )
    value = value_words(found, place)
    return tr(
        "{name} = {value}: {mean}  ·  {rows} here",
        name=effects.title(name),
        value=value,
        mean=mean_text(effects, float(found.means[place, code if effects.classes else 0]), code),
        rows=ntr("{count} row", "{count} rows", int(found.counts[bar])),
    )


def mean_text(effects: Effects, mean: float, code: int) -> str:
    """Write what the ensemble says on average."""
    if not effects.classes:
        return tr("{value} on average", value=number(mean, ".4g"))
    return tr("{share} for class {name}", share=percent(mean), name=effects.classes[code])


def effect_rest(effects: Effects, name: str, code: int) -> str:
    """Say how far the ensemble's mean answer moves over the column's values."""
    found = effects.dependence(name)
    means = found.means[:, code if effects.classes else 0]
    if not len(means):
        return tr("{name} has no value in any row", name=effects.title(name))
    low, high = float(means.min()), float(means.max())
    words = tr(
        "{what} from {low} to {high}, over the values of {name}",
        what=(
            tr("class {name}", name=effects.classes[code])
            if effects.classes
            else tr("mean prediction")
        ),
        low=percent(low) if effects.classes else number(low, ".4g"),
        high=percent(high) if effects.classes else number(high, ".4g"),
        name=effects.title(name),
    )
    if found.missing:
        missing = ntr("{count} row without a value", "{count} rows without a value", found.missing)
        words += f"  ·  {missing}"
    return words


def mean_label(effects: Effects, code: int) -> str:
    """Name the axis of the dependence."""
    plan = effects.found.plan
    if not effects.classes:
        return tr("mean prediction (unit of {target})", target=plan.target)
    return tr("mean probability of {name} (%)", name=effects.classes[code])


def importances_of(picture: ColumnsPicture) -> dict[str, Sequence[Any]]:
    """Return the importances as a table, the most important column first."""
    effects = picture.effects
    numbers = ("mean rise of the loss", "95 % interval from", "to")
    if effects is None:
        return {"column": picture.names} | dict.fromkeys(numbers, [""] * len(picture.names))
    found = effects.found
    columns = (found.worth, found.low, found.high)
    return {"column": [effects.names[k] for k in found.order]} | {
        name: each[found.order].tolist() for name, each in zip(numbers, columns, strict=True)
    }
