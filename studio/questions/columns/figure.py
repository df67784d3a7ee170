"""Figures of column importance and effects, with their texts, for the window and the report."""

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from studio.arrays import Floats
from studio.data.dates import format_date, format_tick
from studio.figures.axes import choose_ticks
from studio.figures.compose import make_horizontal_bars, make_rows_axis
from studio.figures.figure import Axis, Figure, Panel
from studio.figures.ink import ENSEMBLE, MUTED, SINGLE, make_series_ink
from studio.figures.marks import Boxes, Dots, Line, Mark, Rule, WordMarks, make_strokes
from studio.figures.shapes import Box, Diagram, Path, Shape, TextLabel
from studio.language import (
    format_cell,
    format_share,
    group_digits,
    ntr,
    number,
    tr,
    translate,
    translate_name,
)
from studio.measure import format_quantity
from studio.questions.columns.answer import (
    ColumnEffects,
    ColumnEffectsPlan,
    Dependence,
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
"""Maximum number of a group's columns, or a date's parts, below its bar; the rest is counted."""

_MAX_DATE_TICKS = 4
"""Maximum number of dates on the x-axis."""

_DISTRIBUTION_HEIGHT = 0.3
"""Height of the distribution beneath a curve, as a share of the curve's range."""

_MISSING_LABEL_SPACE = 0.1
"""Space for the label right of the bar of missing values, as a share of the values' range."""

_MIN_PROBABILITY_RANGE = 0.02
"""Minimum range of a probability axis: a flat line should look flat."""


# Importance -------------------------------------------------------------------------------------


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


def describe_group(effects: ColumnEffects, bar: int) -> str:
    """Return the other columns of a group, or the parts of its only column, for its label."""
    plan, members = effects.plan, effects.list_members(bar)
    first, *other_columns = dict.fromkeys(plan.sources[k] for k in members)
    names = other_columns or [
        translate_name(plan.names[k]).removeprefix(f"{first}: ") for k in members
    ]
    n_listed = 1
    while n_listed < len(names) and len(", ".join(names[: n_listed + 1])) <= _MAX_LIST_LENGTH:
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
    """Return the first listed column without an effect; empty for none."""
    dependences = effects.dependences
    names = (
        effects.plan.names[row.columns[0]] for row in rows if row.columns[0] not in dependences
    )
    return next(names, "") if effects.is_complete else ""


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
        np.nan_to_num(each[list(bars)]) for each in (effects.importances, effects.low, effects.high)
    )
    has_interval = high > low
    bottom, top = min(0.0, float(low.min(initial=0.0))), max(1e-12, float(high.max(initial=0.0)))
    span = top - bottom
    whisker_x, whisker_y = make_strokes(
        low[has_interval], high[has_interval], rows[has_interval], is_horizontal=True
    )
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
                texts=[format_rise(effects, k) for k in bars],
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
    return label if unit in {"", "%"} else f"{label} ({unit})"


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


# Effect of a column -----------------------------------------------------------------------------


@dataclass(frozen=True)
class ColumnEffectFigure:
    """Effect of a column: predictions of a class's probability (or values) over its values."""

    effects: ColumnEffects
    column: int
    code: int = 0

    @property
    def dependence(self) -> Dependence:
        """The partial dependence of the column."""
        return self.effects.dependences[self.column]

    @property
    def name(self) -> str:
        """The column's name."""
        return translate_name(self.effects.plan.names[self.column])

    @property
    def class_name(self) -> str:
        """The class; empty for values."""
        classes = self.effects.plan.classes
        return classes[self.code] if classes else ""

    @property
    def mean_range(self) -> tuple[float, float]:
        """The lowest and the highest mean over all computed columns, as a shared scale."""
        means = [
            np.append(each.means[:, self.code], each.missing_means[self.code : self.code + 1])
            for each in self.effects.dependences.values()
            if len(each.means)
        ]
        low = min(float(each.min()) for each in means)
        high = max(float(each.max()) for each in means)
        min_span = (
            _MIN_PROBABILITY_RANGE if self.class_name else 1e-9 + 0.01 * max(abs(low), abs(high))
        )
        if high - low < min_span:
            middle = (low + high) / 2
            low, high = middle - min_span / 2, middle + min_span / 2
        return low, high

    @property
    def default_text(self) -> str:
        """Describe the range of the ensemble's mean prediction over the column's values."""
        means = self.dependence.means[:, self.code]
        if not len(means):
            return tr("{name} has no value in any row", name=self.name)
        unit = self.effects.plan.target_unit
        low, high = (
            format_share(each) if self.class_name else format_quantity(each, unit)
            for each in (float(means.min()), float(means.max()))
        )
        text = tr(
            "{what}: {low} to {high}, depending on {name}",
            what=tr("mean probability of “{name}”", name=self.class_name)
            if self.class_name
            else tr("mean prediction"),
            low=low,
            high=high,
            name=self.name,
        )
        if n_omitted := self.dependence.n_omitted:
            n_shown = len(self.dependence.grid)
            total = group_digits(n_shown + n_omitted)
            text += f"  ·  {tr('{n} most common of {all} values', n=n_shown, all=total)}"
        if self.effects.is_faint(self.column):
            text += f"  ·  {tr('This column may not matter.')}"
        if missing := self.dependence.n_missing:
            # The rows belong to one fold, so they are fewer than the table's.
            without_value = ntr(
                "{count} of {rows} examined rows without a value",
                "{count} of {rows} examined rows without a value",
                missing,
                rows=group_digits(missing + int(self.dependence.counts.sum())),
            )
            text += f"  ·  {without_value}"
        if constraint := self.effects.plan.get_constraint(self.column):
            text += f"  ·  {translate(constraint)}"
        return text

    def describe_at(self, x: float) -> str:
        """Describe the curve at an x position; empty outside it."""
        dependence, missing_bar = self.dependence, self.dependence.missing_bar
        if not len(dependence.grid):
            return ""
        starts, ends = dependence.bars
        if missing_bar is not None and missing_bar[0] <= x <= missing_bar[1]:
            return tr(
                "{name} missing: {mean}  ·  {rows}",
                name=self.name,
                mean=self._format_mean(dependence.missing_means),
                rows=ntr("{count} row", "{count} rows", dependence.n_missing),
            )
        tolerance = 0.5 * (ends[0] - starts[0])
        if not dependence.grid[0] - tolerance <= x <= dependence.grid[-1] + tolerance:
            return ""
        index = bar = int(np.abs(dependence.grid - x).argmin())
        if len(dependence.edges):
            bar = int(np.clip(np.searchsorted(ends, x), 0, len(ends) - 1))
        return tr(
            "{name} = {value}: {mean}  ·  {rows} here",
            name=self.name,
            value=format_value(dependence, index),
            mean=self._format_mean(dependence.means[index]),
            rows=ntr("{count} row", "{count} rows", int(dependence.counts[bar])),
        )

    def _format_mean(self, means: Floats) -> str:
        """Format the ensemble's mean prediction, given means of shape (C,) or (1,)."""
        mean = float(means[self.code])
        if not self.class_name:
            return tr(
                "{value} on average", value=format_quantity(mean, self.effects.plan.target_unit)
            )
        return tr("{share} for class {name}", share=format_share(mean), name=self.class_name)

    def get_table(self) -> dict[str, Sequence[Any]]:
        """Return the plotted values of all classes."""
        dependence, plan = self.dependence, self.effects.plan
        headers = plan.classes or ("mean prediction",)
        values: list[Any] = list(dependence.labels) or dependence.grid.tolist()
        means = dict(zip(headers, dependence.means.T.tolist(), strict=True))
        return {plan.names[self.column]: values} | means

    def make_figure(self) -> Figure:
        """Return the ensemble's predictions over the values, with their distribution beneath."""
        dependence = self.dependence
        factor = 100.0 if self.class_name else 1.0
        y = factor * dependence.means[:, self.code]
        low, high = (factor * each for each in self.mean_range)
        span = high - low
        floor = low - (_DISTRIBUTION_HEIGHT + 0.06) * span
        starts, ends = dependence.bars
        left, right = (float(starts[0]), float(ends[-1])) if len(starts) else (0.0, 1.0)
        tick_labels, x, counts = (
            make_tick_labels(dependence, left, right),
            dependence.grid,
            dependence.counts,
        )
        line: list[Mark] = (
            [] if dependence.labels else [Line(x=x, y=y, ink=make_series_ink(ENSEMBLE), depth=-1)]
        )
        if (missing_bar := dependence.missing_bar) is not None:
            position = sum(missing_bar) / 2
            mean = factor * dependence.missing_means[self.code]
            starts, ends = np.append(starts, missing_bar[0]), np.append(ends, missing_bar[1])
            x, y, counts = (
                np.append(x, position),
                np.append(y, mean),
                np.append(counts, dependence.n_missing),
            )
            x_ticks = tick_labels or [
                (each, number(each, "g")) for each in choose_ticks(left, right, _MAX_DATE_TICKS)
            ]
            tick_labels = [*x_ticks, (position, tr("missing"))]
            # Its name is wider than the bar, and would be dropped beyond the edge.
            right = (
                missing_bar[1]
                if dependence.labels
                else missing_bar[1] + _MISSING_LABEL_SPACE * (right - left)
            )
        margin, inset = 0.02 * (right - left), 0.05 * (ends - starts)
        heights = _DISTRIBUTION_HEIGHT * span * counts / max(1, int(counts.max(initial=1)))
        dots = Dots(
            x=x,
            y=y,
            size=10.0 if dependence.labels else 6.0,
            ink=make_series_ink(ENSEMBLE),
            name=tr("the ensemble, on average"),
            sample=None if dependence.labels else "line",
        )
        distribution = Boxes(
            x0=starts + inset,
            x1=ends - inset,
            y0=np.full(len(starts), floor),
            y1=floor + heights,
            ink=MUTED.with_opacity(0.35),
            name=tr("rows with such values"),
            depth=-2,
        )
        x_axis = Axis(
            label=self.name,
            low=left - margin,
            high=right + margin,
            ticks=tick_labels,
            tick_overlap="cut",
            has_grid=not dependence.labels,
        )
        y_axis = Axis(
            label=tr("mean probability of {name} (%)", name=self.class_name)
            if self.class_name
            else self.effects.plan.mean_title,
            low=floor,
            high=high + 0.08 * span,
            # No ticks beside the distribution, which has no scale.
            ticks=[
                (position, number(position + 0.0, ".4g")) for position in choose_ticks(low, high, 4)
            ],
            is_fitted_to_labels=True,
        )
        marks = [dots, *line, distribution]
        return Figure(
            panels=[Panel(x=x_axis, y=y_axis)], marks=marks, default_text=self.default_text
        )


def format_value(dependence: Dependence, index: int) -> str:
    """Format a value of a column: a label, a date or a number."""
    if dependence.labels:
        return translate_name(dependence.labels[index])
    value = float(dependence.grid[index])
    return (
        format_date(dependence.date_format, value).partition(" ")[0]
        if dependence.has_dates
        else format_cell(value)
    )


def make_tick_labels(
    dependence: Dependence, left: float, right: float
) -> list[tuple[float, str]] | None:
    """Return the labels of the x-axis: categories, dates, or years; ``None`` for numbers."""
    if dependence.has_dates:
        span = right - left
        return [
            (position, format_tick(dependence.date_format, position, span))
            for position in choose_ticks(left, right, _MAX_DATE_TICKS)
        ]
    if dependence.labels:
        return [
            (float(code), translate_name(label)) for code, label in enumerate(dependence.labels)
        ]
    values = dependence.grid
    # Integers of four digits, written like years.
    if len(values) and ((values == np.round(values)) & (values >= 1e3) & (values < 1e4)).all():
        return [
            (position, format_cell(position))
            for position in choose_ticks(left, right, _MAX_DATE_TICKS)
            if position == int(position)
        ]
    return None
