"""Figures of column importance, with their texts, for the window and the report."""

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from studio.figures.compose import make_horizontal_bars, make_rows_axis
from studio.figures.figure import Axis, Figure, Panel
from studio.figures.ink import MUTED, SINGLE, make_series_ink
from studio.figures.marks import Line, Rule, WordMarks, make_strokes
from studio.figures.shapes import Box, Diagram, Path, Shape, TextLabel
from studio.language import format_share, ntr, tr, translate, translate_name
from studio.questions.columns.answer import (
    ColumnEffects,
    ColumnEffectsPlan,
    describe_completion,
    format_rise,
    get_main_name,
    make_direction_phrase,
)

MAX_BARS = 25
"""Maximum number of drawn columns; all are exported."""

MIN_LISTED, MAX_LISTED = 5, 10
"""Minimum and initial maximum number of listed bars."""

ROW_HEIGHT = 52.0
"""Height of a row of the list."""

_EDGE, _BAR, _THICK = 8.0, 23.0, 9.0
_SMALL, _INSET = 11.5, 18.0

_MAX_LIST_LENGTH = 30
"""Maximum number of characters of a group's columns, or a date's parts, below its bar."""


@dataclass(frozen=True)
class ImportanceRow:
    """A row of the list: a column, or a group of columns.

    Attributes:
        columns: The most important first.
        details: Additional text below the bar.
        value: The mean rise; of a column within a group, its share of the group's.
        is_expanded: Whether a group's columns are listed below it; ``None`` for a column.
    """

    number: int
    columns: tuple[int, ...]
    name: str
    value: float
    interval: tuple[float, float] | None
    text: str
    details: str
    is_significant: bool
    is_expanded: bool | None = None
    is_in_group: bool = False


def list_shown_rows(
    effects: ColumnEffects,
    positive_class: str | None = None,
    opened: Collection[int] = (),
    *,
    shows_all: bool = False,
) -> list[ImportanceRow]:
    """Return the listed rows, by descending importance, with the columns of opened groups."""
    last = int(np.flatnonzero(effects.is_significant[effects.ranked_indices]).max(initial=-1)) + 1
    max_rows = len(effects.ranked_indices) if shows_all else min(MAX_LISTED, max(MIN_LISTED, last))
    rows: list[ImportanceRow] = []
    for bar in effects.ranked_indices[:max_rows].tolist():
        columns = effects.list_members(bar)
        is_open = bar in opened if len(columns) > 1 else None
        rows.append(make_importance_row(effects, bar, positive_class, is_open))
        if is_open:
            rows += [_make_member_row(effects, bar, each, positive_class) for each in columns]
    return rows


def make_importance_row(
    effects: ColumnEffects, bar: int, positive_class: str | None, opened: bool | None = None
) -> ImportanceRow:
    """Return the row of a bar."""
    columns, is_significant = tuple(effects.list_members(bar)), bool(effects.is_significant[bar])
    value, low, high = (
        float(each[bar]) for each in (effects.importances, effects.low, effects.high)
    )
    is_single = len(columns) == 1
    is_faint = effects.is_complete and not is_significant
    remark = (
        translate(make_direction_phrase(effects, bar, positive_class, is_faint=is_faint))
        if is_single
        else describe_group(effects, bar)
    )
    mark = "" if opened is None else "▾ " if opened else "▸ "
    return ImportanceRow(
        bar,
        columns,
        mark + translate_name(get_main_name(effects, bar)),
        value,
        None if math.isnan(low) else (low, high),
        format_rise(effects, bar),
        remark,
        is_significant,
        opened,
    )


def _make_member_row(
    effects: ColumnEffects, bar: int, column: int, positive_class: str | None
) -> ImportanceRow:
    """Return the row of a column within a group: its share of the group's bar.

    A column shuffled alone makes rows that cannot occur, such as a month after the date's own year,
    so its rise may exceed the group's: only the columns of one group are comparable.
    """
    is_significant = bool(effects.is_significant[[bar, column]].all())
    is_faint = effects.is_complete and not is_significant
    rises = np.maximum(0.0, np.nan_to_num(effects.importances[effects.list_members(bar)]))
    rise = max(0.0, float(np.nan_to_num(effects.importances[column])))
    group_rise = float(effects.importances[bar])
    share = rise / float(rises.sum()) if rises.any() and group_rise > 0 else 0.0
    return ImportanceRow(
        column,
        (column,),
        translate_name(effects.plan.names[column]),
        share * group_rise,
        None,
        tr("{share} of the group", share=format_share(share, 0)) if group_rise > 0 else "",
        translate(make_direction_phrase(effects, column, positive_class, is_faint=is_faint)),
        is_significant,
        is_in_group=True,
    )


def describe_group(effects: ColumnEffects, bar: int, max_length: int = _MAX_LIST_LENGTH) -> str:
    """Return the other columns of a group, or the parts of its only column, for its label.

    Names beyond ``max_length`` characters are counted.
    """
    plan, members = effects.plan, effects.list_members(bar)
    first, *other_columns = dict.fromkeys(plan.sources[k] for k in members)
    names = other_columns or [
        translate_name(plan.names[k]).removeprefix(f"{first}: ") for k in members
    ]
    n_listed = 1
    while n_listed < len(names) and len(", ".join(names[: n_listed + 1])) <= max_length:
        n_listed += 1
    name_list, n_unlisted = ", ".join(names[:n_listed]), len(names) - n_listed
    if n_unlisted:
        name_list = ntr(
            "{names} and {count} more", "{names} and {count} more", n_unlisted, names=name_list
        )
    if not other_columns:
        return name_list
    return tr("together with {names}", names=name_list)


def find_missing_effect(effects: ColumnEffects, rows: Iterable[ImportanceRow]) -> str:
    """Return the first listed column whose effect is to be computed unasked; empty for none."""
    if not effects.is_complete or effects.is_time_over:
        return ""
    dependences = effects.dependences
    names = (
        effects.plan.names[row.columns[0]] for row in rows if row.columns[0] not in dependences
    )
    return next(names, "")


def summarise_plot(effects: ColumnEffects, rows: Iterable[ImportanceRow]) -> str:
    """Return the number of unlisted columns, in words; empty for none."""
    n_more = effects.plan.count_without_feature([column for row in rows for column in row.columns])
    text = ntr("{count} more column matters less", "{count} more columns matter less", n_more)
    return text if n_more else ""


def make_importance_diagram(
    rows: Sequence[ImportanceRow],
    title: str,
    width: float = 720.0,
    selected_index: int | None = None,
) -> Diagram:
    """Return a bar for each column, faint if insignificant; ``width`` is in pixels."""
    end_values = [end for row in rows for end in (0.0, row.value, *(row.interval or ()))]
    low, high = min(end_values, default=0.0), max(end_values, default=1.0)
    left, right = _EDGE, width - _EDGE

    def to_x(value: float) -> float:
        return left + (right - left) * (value - low) / ((high - low) or 1.0)

    shapes: list[Shape] = []
    for index, row in enumerate(rows):
        top = ROW_HEIGHT * index
        if index == selected_index:
            shapes.append(Box(0.0, top, width, ROW_HEIGHT, "raised"))
        middle, start = top + _BAR + _THICK / 2, min(to_x(0.0), to_x(row.value))
        extent = max(1.5, abs(to_x(row.value) - to_x(0.0)))
        x, y = left + _INSET * row.is_in_group, top + 16
        available_width, is_bold = right - x, row.is_significant and not row.is_in_group
        colour = "text" if is_bold else "muted"
        opacity = 1.0 if row.is_significant else 0.35
        shapes += [
            TextLabel(
                x,
                y,
                row.name,
                size=13,
                bold=is_bold,
                max_width=available_width,
                neighbour_text=row.text,
            ),
            TextLabel(right, y, row.text, "end", colour, 12),
            Box(start, top + _BAR, extent, _THICK, "series 0", alpha=opacity),
            TextLabel(
                x,
                top + ROW_HEIGHT - 7,
                row.details,
                "start",
                "muted",
                _SMALL,
                max_width=available_width,
            ),
        ]
        if low < 0:
            zero = ((to_x(0.0), middle - 8), (to_x(0.0), middle + 8))
            shapes.append(Path(zero, "muted"))
        if row.interval is not None:
            first, last = map(to_x, row.interval)
            shapes.append(Path(((first, middle), (last, middle)), "text", 1.5))
            shapes += [
                Path(((end, middle - 3.5), (end, middle + 3.5)), "text", 1.5)
                for end in (first, last)
            ]
    return Diagram("worth", title, "", width, ROW_HEIGHT * len(rows), tuple(shapes))


def name_bar(plan: ColumnEffectsPlan, effects: ColumnEffects | None, bar: int) -> str:
    """Return a bar's name: of a group, its most important column and the number of others."""
    if effects is None:
        source = plan.sources[bar]
        return translate_name(source if plan.sources.count(source) > 1 else plan.names[bar])
    name = translate_name(get_main_name(effects, bar))
    count = len({plan.sources[k] for k in effects.list_members(bar)}) - 1
    return (
        ntr("{names} and {count} more", "{names} and {count} more", count, names=name)
        if count
        else name
    )


def make_importance_figure(
    plan: ColumnEffectsPlan, effects: ColumnEffects | None, bars: Sequence[int]
) -> Figure:
    """Return a bar for each group and other column, or only the names before the first results."""
    rows, names = np.arange(len(bars), dtype=float), [name_bar(plan, effects, k) for k in bars]
    y = make_rows_axis(names)
    if effects is None:
        # Hide numbers on an axis without data.
        return Figure(
            panels=[Panel(x=Axis(get_rise_label(None), ticks=()), y=y)],
            marks=[],
            default_text=tr("Not computed yet: it starts only when you press the button."),
        )
    values, low, high = (
        effects.measure.factor * np.nan_to_num(each[list(bars)])
        for each in (effects.importances, effects.low, effects.high)
    )
    has_interval = high > low
    bottom, top = min(0.0, float(low.min(initial=0.0))), max(1e-12, float(high.max(initial=0.0)))
    span = top - bottom
    whisker_x, whisker_y = make_strokes(
        low[has_interval], high[has_interval], rows[has_interval], is_horizontal=True
    )
    texts = [format_rise(effects, k) for k in bars]
    x = Axis(get_rise_label(effects), bottom - 0.02 * span, top + 0.24 * span)
    return Figure(
        panels=[Panel(x=x, y=y)],
        marks=[
            make_horizontal_bars(
                values, rows, make_series_ink(SINGLE), tr("mean over the repetitions")
            ),
            Line(x=whisker_x, y=whisker_y, is_segments=True, name=tr("95 % interval")),
            Rule(position=0.0, ink=MUTED),
            WordMarks(
                x=np.maximum(high, 0.0) + 0.01 * span,
                y=rows,
                texts=texts,
                # Without the interval, which the line shows.
                short_texts=[each.partition(" (")[0] for each in texts],
            ),
        ],
        default_text=describe_completion(effects, bars),
    )


def get_rise_label(effects: ColumnEffects | None) -> str:
    """Return the label of the importance axis."""
    if effects is None:
        return tr("increase in loss when shuffled")
    title, target, unit = effects.measure.title, effects.plan.target, effects.unit
    if unit == "target":
        return tr(
            "increase in {title} when shuffled (unit of {target})", title=title, target=target
        )
    label = tr("increase in {title} when shuffled", title=title)
    return f"{label} ({unit})" if unit else label


def tabulate_importances(
    plan: ColumnEffectsPlan, effects: ColumnEffects | None
) -> dict[str, Sequence[Any]]:
    """Return the importances as a table, in descending order."""
    numbers = ("mean rise of the loss", "95 % interval from", "to")
    if effects is None:
        return {"column": plan.names} | dict.fromkeys(numbers, [""] * len(plan.names))
    columns = (effects.importances, effects.low, effects.high)
    return {"column": [plan.names[k] for k in effects.order]} | {
        name: each[effects.order].tolist() for name, each in zip(numbers, columns, strict=True)
    }
