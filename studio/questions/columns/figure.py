"""Figures of column importance, as bars or on an image's grid, and the report's sections."""

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from studio.arrays import Floats, Integers
from studio.figures.compose import make_horizontal_bars, make_rows_axis
from studio.figures.figure import Axis, Figure, Panel
from studio.figures.ink import MUTED, SINGLE, make_series_ink
from studio.figures.marks import Line, Rule, WordMarks, make_strokes
from studio.figures.shapes import (
    Box,
    Diagram,
    Path,
    Shape,
    TextLabel,
    get_page_colour,
    render_inline_svg,
)
from studio.language import format_share, ntr, tr, translate, translate_name
from studio.printable import escape_markup
from studio.questions.columns.answer import (
    ColumnEffects,
    ColumnEffectsPlan,
    describe_completion,
    describe_dominant_column,
    describe_importance,
    describe_rows,
    explain_groups,
    format_rise,
    get_main_name,
    summarise_bars,
)
from studio.questions.columns.effect_figure import make_direction_phrase

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

MAX_IN_REPORT = 15
"""Maximum number of bars."""

_MAX_LIST_LENGTH_IN_REPORT = 100
"""Maximum number of characters of a group's columns, which cannot be opened on paper."""

_SIDE, _LEGEND_HEIGHT, _LEGEND_STEP = 320.0, 28.0, 18.0
"""The image's longer side; the height of the legend below it, and the size of a legend step."""

_LEGEND_STEPS = 5


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
    effects: ColumnEffects, opened: Collection[int] = (), *, shows_all: bool = False
) -> list[ImportanceRow]:
    """Return the listed rows, by descending importance, with the columns of opened groups."""
    last = int(np.flatnonzero(effects.is_significant[effects.ranked_indices]).max(initial=-1)) + 1
    max_rows = len(effects.ranked_indices) if shows_all else min(MAX_LISTED, max(MIN_LISTED, last))
    rows: list[ImportanceRow] = []
    for bar in effects.ranked_indices[:max_rows].tolist():
        columns = effects.list_members(bar)
        is_open = bar in opened if len(columns) > 1 else None
        rows.append(make_importance_row(effects, bar, is_open))
        if is_open:
            rows += [_make_member_row(effects, bar, each) for each in columns]
    return rows


def make_importance_row(
    effects: ColumnEffects, bar: int, opened: bool | None = None, max_length: int = _MAX_LIST_LENGTH
) -> ImportanceRow:
    """Return the row of a bar; ``max_length`` as in :func:`describe_group`."""
    columns, is_significant = effects.list_members(bar), bool(effects.is_significant[bar])
    value, low, high = (
        float(each[bar]) for each in (effects.importances, effects.low, effects.high)
    )
    is_faint = effects.is_complete and not is_significant
    details = (
        describe_group(effects, bar, max_length)
        if len(columns) > 1
        else translate(make_direction_phrase(effects, bar, is_faint=is_faint))
    )
    mark = "" if opened is None else "▾ " if opened else "▸ "
    return ImportanceRow(
        number=bar,
        columns=tuple(columns),
        name=mark + translate_name(get_main_name(effects, bar)),
        value=value,
        interval=None if math.isnan(low) else (low, high),
        text=format_rise(effects, bar),
        details=details,
        is_significant=is_significant,
        is_expanded=opened,
    )


def _make_member_row(effects: ColumnEffects, bar: int, column: int) -> ImportanceRow:
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
        number=column,
        columns=(column,),
        name=translate_name(effects.plan.names[column]),
        value=share * group_rise,
        interval=None,
        text=tr("{share} of the group", share=format_share(share, 0)) if group_rise > 0 else "",
        details=translate(make_direction_phrase(effects, column, is_faint=is_faint)),
        is_significant=is_significant,
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
        middle, zero = top + _BAR + _THICK / 2, to_x(0.0)
        start, end = sorted((zero, to_x(row.value)))
        x, y = left + _INSET * row.is_in_group, top + 16
        is_bold = row.is_significant and not row.is_in_group
        shapes += [
            TextLabel(
                x, y, row.name,
                size=13, bold=is_bold, max_width=right - x, neighbour_text=row.text,
            ),
            TextLabel(right, y, row.text, "end", "text" if is_bold else "muted", 12),
            Box(
                start, top + _BAR, max(1.5, end - start), _THICK, "series 0",
                alpha=1.0 if row.is_significant else 0.35,
            ),
            TextLabel(
                x, top + ROW_HEIGHT - 7, row.details, "start", "muted", _SMALL,
                max_width=right - x,
            ),
        ]  # fmt: skip
        if low < 0:
            shapes.append(Path(((zero, middle - 8), (zero, middle + 8)), "muted"))
        if row.interval is not None:
            ends = [to_x(each) for each in row.interval]
            lines = [tuple((each, middle) for each in ends)]
            lines += [((each, middle - 3.5), (each, middle + 3.5)) for each in ends]
            shapes += [Path(line, "text", 1.5) for line in lines]
    return Diagram("worth", title, "", width, ROW_HEIGHT * len(rows), tuple(shapes))


@dataclass(frozen=True)
class ColumnsData:
    """The content of the plot; unless ``is_current``, effects may be of an earlier ensemble."""

    plan: ColumnEffectsPlan
    effects: ColumnEffects | None
    is_current: bool

    @property
    def order(self) -> list[int]:
        """All column indices, by importance once it is known."""
        if self.effects is None:
            return list(range(len(self.plan.names)))
        order: list[int] = self.effects.order.tolist()
        return order

    @property
    def bars(self) -> list[int]:
        """The groups and other columns, as the answer to Why lists them.

        Before these are known, the first column of each of the table's.
        """
        if self.effects is None:
            first_columns: dict[str, int] = {}
            for column, source in enumerate(self.plan.sources):
                first_columns.setdefault(source, column)
            return list(first_columns.values())
        ranked: list[int] = self.effects.ranked_indices.tolist()
        shown = {column for bar in ranked for column in self.effects.list_members(bar)}
        return [*ranked, *(column for column in self.order if column not in shown)]

    def get_column(self, bar: int) -> int:
        """Return the column of a bar: of a group, the most important one."""
        return bar if self.effects is None else self.effects.list_members(bar)[0]


def name_bar(plan: ColumnEffectsPlan, effects: ColumnEffects | None, bar: int) -> str:
    """Return a bar's name: of a group, its most important column and the number of others."""
    main_column = bar if effects is None else effects.list_members(bar)[0]
    if plan.pixels:
        name = name_pixel(plan, main_column)
    elif effects is None:
        source = plan.sources[bar]
        name = translate_name(source if plan.sources.count(source) > 1 else plan.names[bar])
    else:
        name = translate_name(get_main_name(effects, bar))
    if effects is None:
        return name
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


# Pixels of an image ------------------------------------------------------------------------------


def summarise_pixels(effects: ColumnEffects) -> str:
    """Explain the colours and count important pixels; empty until the comparison is complete."""
    if not effects.is_complete or not len(effects.ranked_indices):
        return ""
    text = tr("The stronger the colour of a pixel, the more it improves the predictions.")
    n_significant = int(np.count_nonzero(effects.is_significant[_get_bars(effects)]))
    matter_text = ntr(
        "The contribution of {count} pixel is more than chance.",
        "The contribution of {count} pixels is more than chance.",
        n_significant,
    )
    return f"{text} {matter_text}"


def name_pixel(plan: ColumnEffectsPlan, column: int) -> str:
    """Name a pixel by its position in the image, from 1."""
    row, x = divmod(plan.pixels[column], plan.image_size[1])
    return tr("pixel in row {row}, column {column}", row=row + 1, column=x + 1)


def find_pixel(plan: ColumnEffectsPlan, x: float, y: float) -> int | None:
    """Return the column whose pixel is at a point of the diagram; ``None`` for none."""
    height, width = plan.image_size
    cell = _SIDE / max(height, width)
    row, pixel_index = int(y // cell), int(x // cell)
    if not (0 <= row < height and 0 <= pixel_index < width):
        return None
    position = row * width + pixel_index
    return plan.pixels.index(position) if position in plan.pixels else None


def describe_pixel_at(effects: ColumnEffects, x: float, y: float) -> str:
    """Return the position and importance of the pixel at a point of the diagram, if any."""
    if (column := find_pixel(effects.plan, x, y)) is None:
        return ""
    bar = int(_get_bars(effects)[column])
    name, n_others = name_pixel(effects.plan, column), len(effects.list_members(bar)) - 1
    if n_others:
        together = ntr(
            "together with {count} similar pixel", "together with {count} similar pixels", n_others
        )
        name = f"{name}, {together}"
    return f"{name}: {format_rise(effects, bar)}"


def describe_pixel_importance(effects: ColumnEffects) -> str:
    """Describe the measure and the evaluated rows."""
    text = tr(
        "The colour is the increase of the {metric} when a pixel is shuffled among {rows} that "
        "these models have not learned from, up to {rise}.",
        metric=effects.measure.title,
        rows=translate(describe_rows(effects.plan)),
        rise=format_rise(effects, int(effects.ranked_indices[0])),
    )
    if not effects.groups:
        return text
    note = tr("Pixels that share much information are shuffled together and have one colour.")
    return f"{text} {note}"


def make_pixel_diagram(effects: ColumnEffects, selected_column: int | None = None) -> Diagram:
    """Return the image with the importance of its pixels; one of them may be framed.

    Pixels that are constant over all rows are excluded from training and left empty.
    """
    height, width = effects.plan.image_size
    cell = _SIDE / max(height, width)
    shares = _compute_shares(effects)
    shapes: list[Shape] = [Box(0.0, 0.0, cell * width, cell * height, "raised")]
    frames: list[Shape] = [Box(0.0, 0.0, cell * width, cell * height, "border", filled=False)]
    for column, position in enumerate(effects.plan.pixels):
        x, y = cell * (position % width), cell * (position // width)
        if shares[column] > 0:
            shapes.append(Box(x, y, cell, cell, "series 0", alpha=float(shares[column])))
        if column == selected_column:
            frames.append(Box(x, y, cell, cell, "text", filled=False))
    bottom = cell * height + _LEGEND_HEIGHT
    return Diagram(
        key="worth",
        title=tr("Importance of each pixel"),
        caption=summarise_pixels(effects),
        width=_SIDE,
        height=bottom,
        shapes=(*shapes, *frames, *_make_legend(bottom - _LEGEND_HEIGHT / 2)),
    )


def _make_legend(top: float) -> list[Shape]:
    left = (_SIDE - _LEGEND_STEPS * _LEGEND_STEP) / 2
    right, baseline = left + _LEGEND_STEPS * _LEGEND_STEP, top + _LEGEND_STEP / 2
    steps = [
        Box(
            left + _LEGEND_STEP * step, top, _LEGEND_STEP, _LEGEND_STEP / 2, "series 0",
            alpha=(step + 1) / _LEGEND_STEPS,
        )
        for step in range(_LEGEND_STEPS)
    ]  # fmt: skip
    return [
        TextLabel(left - 6.0, baseline, tr("matters less"), "end", "muted"),
        *steps,
        TextLabel(right + 6.0, baseline, tr("matters more"), "start", "muted"),
    ]


def _get_bars(effects: ColumnEffects) -> Integers:
    """Return the bar of each column, (d,): that of its group, if any."""
    bars = np.arange(len(effects.plan.names))
    for number, group in enumerate(effects.groups, start=len(bars)):
        bars[list(group)] = number
    return bars


def _compute_shares(effects: ColumnEffects) -> Floats:
    """Return each column's importance as a share of the highest, (d,); 0 where unknown."""
    values = np.maximum(np.nan_to_num(effects.importances[_get_bars(effects)]), 0.0)
    return values / (values.max(initial=0.0) or 1.0)


# Report ------------------------------------------------------------------------------------------


def render_report_section(effects: ColumnEffects) -> str:
    """Return the report's section on important columns; empty if nothing is known."""
    if effects.reason or not len(effects.ranked_indices):
        return ""
    if effects.plan.pixels:
        diagram = make_pixel_diagram(effects)
        text = f"{summarise_pixels(effects)} {describe_pixel_importance(effects)}"
        return f"<p>{escape_markup(text)}</p>" + render_inline_svg(diagram, get_page_colour)
    bars = (
        effects.significant_indices if len(effects.significant_indices) else effects.ranked_indices
    )
    n_more, listed_bars = len(bars) - MAX_IN_REPORT, bars[:MAX_IN_REPORT]
    more_text = ntr("{count} more matters less.", "{count} more matter less.", n_more)
    causes = tr("This describes the ensemble, not causal effects.")
    introduction = " ".join(
        filter(None, (describe_dominant_column(effects), describe_importance(effects, listed_bars)))
    )
    return (
        f"<p>{escape_markup(summarise_bars(effects, listed_bars))}</p>"
        f"<p>{escape_markup(f'{introduction} {causes}')}</p>"
        + _render_page_figure(effects, bars, tr("Importance of each column, with 95 % intervals"))
        + (f'<p class="muted">{escape_markup(more_text)}</p>' if n_more > 0 else "")
    )


def render_report_appendix(effects: ColumnEffects) -> str:
    """Return the bars of insignificant columns; empty if there are none."""
    insignificant = effects.ranked_indices[~effects.is_significant[effects.ranked_indices]]
    n_more = len(insignificant) - MAX_IN_REPORT
    is_image = bool(effects.plan.pixels)
    if is_image or not len(insignificant) or not len(effects.significant_indices):
        return ""
    more_text = ntr("And {count} more.", "And {count} more.", n_more)
    return (
        f"<p>{escape_markup(tr('That these columns help may be chance.'))}</p>"
        + _render_page_figure(effects, insignificant, tr("Columns that may not matter overall"))
        + (f'<p class="muted">{escape_markup(more_text)}</p>' if n_more > 0 else "")
    )


def _render_page_figure(effects: ColumnEffects, bars: Integers, caption: str) -> str:
    rows = [
        make_importance_row(effects, bar, max_length=_MAX_LIST_LENGTH_IN_REPORT)
        for bar in bars[:MAX_IN_REPORT].tolist()
    ]
    has_group = any(len(row.columns) > 1 for row in rows)
    explanation = translate(explain_groups(effects)) if has_group else ""
    note = f'<p class="muted">{escape_markup(explanation)}</p>' if explanation else ""
    # A direction that may be chance is not printed.
    rows = [
        row if row.is_significant or len(row.columns) > 1 else replace(row, details="")
        for row in rows
    ]
    return render_inline_svg(make_importance_diagram(rows, caption), get_page_colour) + note
