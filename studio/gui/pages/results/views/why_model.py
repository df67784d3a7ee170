"""What the view of the reasons shows, from what the helper has found out so far."""

from collections.abc import Collection
from dataclasses import dataclass

from studio.analysis.answers.column_effects import ColumnEffects
from studio.analysis.column_words import TOGETHER, asked_rows, bar_name, direction
from studio.figures.worth import WorthRow
from studio.gui.base.language import named, ntr, tr, translate
from studio.gui.plots.quality.column_effects_model import Effects, rise_text

LEAST, MOST = 5, 10
"""Bars that are shown at least, where there are as many, and at most, until more are asked for."""

NAMED = 3
"""Bars that are named as those that matter most."""

_CLOSED, _OPENED = "▸", "▾"


@dataclass(frozen=True)
class ShownBar:
    """A bar as it is shown.

    Attributes:
        number: Of the column, or of the group.
        columns: What it is made of, the most important first.
        opened: Whether the columns of a group are shown beneath it; ``None`` of a single column.
        within: Whether it is beneath its group.
    """

    number: int
    columns: tuple[int, ...]
    opened: bool | None = None
    within: bool = False

    @property
    def column(self) -> int:
        """The column whose effect is shown for it."""
        return self.columns[0]


def shown_bars(
    found: ColumnEffects, opened: Collection[int] = (), *, more: bool = False
) -> list[ShownBar]:
    """Return the bars that are shown, the most important first.

    Args:
        found: What is known so far.
        opened: Groups, by number, that are open.
        more: Whether all are shown.
    """
    most = len(found.bars) if more else min(MOST, max(LEAST, len(found.matter)))
    bars: list[ShownBar] = []
    for number in found.bars[:most].tolist():
        columns = tuple(found.members(number))
        if len(columns) == 1:
            bars.append(ShownBar(number, columns))
            continue
        bars.append(ShownBar(number, columns, number in opened))
        if number in opened:
            bars += [ShownBar(column, (column,), within=True) for column in columns]
    return bars


def worth_rows(
    effects: Effects, bars: list[ShownBar], looked_for: str | None = None
) -> list[WorthRow]:
    """Return a row for each bar that is shown."""
    found = effects.found
    return [
        WorthRow(
            name=_title(found, bar),
            value=float(found.worth[bar.number]),
            interval=(float(found.low[bar.number]), float(found.high[bar.number]))
            if found.low[bar.number] == found.low[bar.number]
            else None,
            text=rise_text(effects, bar.number),
            words=bar_words(found, bar, looked_for),
            matters=bool(found.matters[bar.number]),
            within=bar.within,
        )
        for bar in bars
    ]


def _title(found: ColumnEffects, bar: ShownBar) -> str:
    name = named(bar_name(found, bar.number))
    if bar.opened is None:
        return name
    return f"{_OPENED if bar.opened else _CLOSED} {name}"


def bar_words(found: ColumnEffects, bar: ShownBar, looked_for: str | None = None) -> str:
    """Say in which direction a column moves the prediction, or that it may not matter."""
    if not found.matters[bar.number]:
        return tr("may not matter")
    if bar.opened is not None:
        return ", ".join(named(found.plan.names[k]) for k in bar.columns)
    if bar.column not in found.dependences:
        return ""
    return translate(direction(found.dependences[bar.column], found.plan, looked_for))


def missing_effect(found: ColumnEffects, bars: list[ShownBar]) -> str:
    """Return the first shown column whose effect is not known; empty for none."""
    names = (found.plan.names[bar.column] for bar in bars if bar.column not in found.dependences)
    return next(names, "") if found.done else ""


def matters_words(found: ColumnEffects | None) -> str:
    """Name what matters most; empty while nothing is known to."""
    if found is None or not len(found.matter):
        return ""
    names = [named(bar_name(found, k)) for k in found.matter[:NAMED].tolist()]
    return tr("What matters most: {columns}", columns=", ".join(names))


def rest_words(found: ColumnEffects, bars: list[ShownBar]) -> str:
    """Say how many columns are not shown; empty for none."""
    more = found.plan.not_among([column for bar in bars for column in bar.columns])
    words = ntr("{count} more column matters less", "{count} more columns matter less", more)
    return words if more else ""


def worth_words(effects: Effects) -> str:
    """Say what the bars are, and of which rows."""
    metric, plan = effects.measure.title, effects.found.plan
    if effects.found.unit == "target":
        metric = tr("{metric} (in the unit of “{target}”)", metric=metric, target=plan.target)
    words = tr(
        "A bar is how much the {metric} rises when a column is shuffled among {rows}, on which "
        "none of the models asked was trained. Lines are 95 % intervals: the range in which a bar "
        "would usually end with other rows and another shuffle. Whether a column matters at all is "
        "decided by a test of its own: of columns that have nothing to do with the target, about 1 "
        "in 40 is shown as mattering.",
        metric=metric,
        rows=translate(asked_rows(plan)),
    )
    return f"{words} {translate(TOGETHER)}" if effects.found.groups else words
