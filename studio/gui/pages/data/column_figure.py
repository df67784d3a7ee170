"""One column's values and its relation to the target: statistics as lines, and a figure."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from studio.analysis.answers.column_facts import ColumnFacts, TargetStatistics
from studio.data.dates import DatePart, format_date, format_tick
from studio.figures.compose import make_count_axis, make_rows_axis
from studio.figures.figure import Axis, Figure, Panel
from studio.figures.ink import MUTED, Ink, make_series_ink
from studio.figures.marks import Boxes, Dots, Line, Mark, make_strokes
from studio.language import format_share, group_digits, number, tr
from studio.measure import format_quantity
from studio.numerals import NumeralFormat

_MAX_LABEL_LENGTH = 14


def list_facts(facts: ColumnFacts, unit: str = "") -> list[tuple[str, str]]:
    """Return the names and values of the known statistics."""
    total = facts.n_filled + facts.n_missing
    missing = group_digits(facts.n_missing)
    if facts.n_missing:
        missing += f" ({format_share(facts.n_missing / total, 1)})"
    lines = [
        (tr("Rows with a value"), group_digits(facts.n_filled)),
        (tr("Missing"), missing),
        (tr("Different values"), group_digits(facts.distinct)),
    ]
    if facts.quantiles:
        names = (
            tr("Minimum"),
            tr("Lower quartile"),
            tr("Median"),
            tr("Upper quartile"),
            tr("Maximum"),
        )
        quantiles = [format_value(facts, each, unit) for each in facts.quantiles]
        mean = _format_mean(facts, unit)
        lines += [*zip(names, quantiles, strict=True), (tr("Mean"), mean)]
    return lines


def list_frequent_values(facts: ColumnFacts) -> list[tuple[str, str]]:
    """Return the most frequent values, with count and share; empty if all values differ."""
    if all(count == 1 for _, count in facts.frequent):
        return []
    return [
        (value, f"{group_digits(count)} ({format_share(count / facts.n_filled, 1)})")
        for value, count in facts.frequent
    ]


def format_value(facts: ColumnFacts, value: float, unit: str = "") -> str:
    """Format a value of a column as its numbers (with the unit) or dates are."""
    if facts.kind == "date":
        return format_date(facts.date_format, value).partition(" ")[0]
    if unit:
        return format_quantity(value, unit, 6)
    return number(value, ",.6g") if abs(value) < 1e6 else number(value, ",.9g")


def _format_mean(facts: ColumnFacts, unit: str) -> str:
    """Format the mean with three significant digits of the range of values."""
    low, high = facts.quantiles[0], facts.quantiles[-1]
    mean_format = NumeralFormat.for_steps(high - low, digits=3)
    if facts.kind == "date" or low == high or mean_format.power:
        return format_value(facts, facts.mean, unit)
    return format_quantity(facts.mean, unit, mean_format)


def make_heading(facts: ColumnFacts, target: str) -> str:
    """Return the heading of the column's figure."""
    if facts.target_statistics.classes:
        return tr("Rows by class of {target}", target=target)
    if len(facts.target_statistics.middle):
        return tr("Mean of {target}, with the middle half of its values", target=target)
    return tr("Distribution of its values")


def make_figure(facts: ColumnFacts, target: str) -> Figure | None:
    """Return a column's groups with the target; ``None`` if there is nothing to draw."""
    statistics = facts.target_statistics
    if not statistics.rows.sum():
        return None
    if statistics.labels:
        return _draw_horizontal_bars(statistics, target)
    return _draw_vertical_bars(facts, target)


def _stack_bars(statistics: TargetStatistics) -> list[tuple[str, Ink, np.ndarray, np.ndarray]]:
    """Return the bars of each group: name, ink, start and end, shape (k,) each."""
    if not statistics.classes:
        return [
            (
                "",
                make_series_ink(0, 0.75),
                np.zeros(len(statistics.rows)),
                statistics.rows.astype(float),
            )
        ]
    ends = np.cumsum(statistics.counts, axis=1).astype(float)
    starts = ends - statistics.counts
    stacks = [
        (name, make_series_ink(index), starts[:, index], ends[:, index])
        for index, name in enumerate(statistics.classes)
    ]
    known_rows = (statistics.rows - statistics.n_unknown).astype(float)
    if (known_rows > ends[:, -1]).any():
        stacks.append((tr("others"), MUTED.with_opacity(0.5), ends[:, -1], known_rows))
    if statistics.n_unknown.any():
        stacks.append(
            (
                tr("no value of the target"),
                MUTED.with_opacity(0.25),
                known_rows,
                statistics.rows.astype(float),
            )
        )
    return stacks


def _draw_vertical_bars(facts: ColumnFacts, target: str) -> Figure:
    """Return vertical bars of counts, or means, over numbers or dates."""
    statistics = facts.target_statistics
    low, high = statistics.edges[:-1], statistics.edges[1:]
    is_clipped = (
        facts.quantiles[0] < statistics.edges[0] or facts.quantiles[-1] > statistics.edges[-1]
    )
    x = Axis(
        tr("the outermost bars include everything beyond") if is_clipped else "",
        float(low[0]),
        float(high[-1]),
        ticks=_make_date_ticks(statistics.edges, facts.date_format)
        if facts.kind == "date"
        else None,
        has_grid=False,
    )
    if not len(statistics.middle):
        marks: list[Mark] = [
            Boxes(x0=low, x1=high, y0=start, y1=end, ink=ink, name=name)
            for name, ink, start, end in _stack_bars(statistics)
        ]
        rows = make_count_axis(tr("rows"), float(statistics.rows.max()))
        return Figure([Panel(x, replace(rows, is_fitted_to_labels=True))], marks)
    has_rows = statistics.rows > 0
    centre = statistics.group_means[has_rows]
    horizontal, vertical = make_strokes(
        statistics.low[has_rows], statistics.high[has_rows], centre, is_horizontal=False
    )
    y = Axis(target, *_compute_axis_range(statistics), is_fitted_to_labels=True)
    dots = Dots(x=centre, y=statistics.middle[has_rows], ink=make_series_ink(0), size=7.0)
    return Figure(
        [Panel(x, y)],
        [Line(x=horizontal, y=vertical, is_segments=True, ink=make_series_ink(0, 0.5)), dots],
    )


def _draw_horizontal_bars(statistics: TargetStatistics, target: str) -> Figure:
    """Return horizontal bars of counts, or means, by category, the most frequent at the top."""
    names = [
        each if len(each) <= _MAX_LABEL_LENGTH else each[: _MAX_LABEL_LENGTH - 1] + "…"
        for each in statistics.labels
    ]
    positions = np.arange(len(names), dtype=float)
    if not len(statistics.middle):
        marks: list[Mark] = [
            Boxes(x0=start, x1=end, y0=positions - 0.31, y1=positions + 0.31, ink=ink, name=name)
            for name, ink, start, end in _stack_bars(statistics)
        ]
        x = make_count_axis(tr("rows"), float(statistics.rows.max()))
        return Figure([Panel(x, make_rows_axis(names))], marks)
    has_rows = statistics.rows > 0
    horizontal, vertical = make_strokes(
        statistics.low[has_rows], statistics.high[has_rows], positions[has_rows], is_horizontal=True
    )
    dots = Dots(
        x=statistics.middle[has_rows], y=positions[has_rows], ink=make_series_ink(0), size=7.0
    )
    line = Line(x=horizontal, y=vertical, is_segments=True, ink=make_series_ink(0, 0.5))
    return Figure(
        [Panel(Axis(target, *_compute_axis_range(statistics)), make_rows_axis(names))], [line, dots]
    )


def _compute_axis_range(statistics: TargetStatistics) -> tuple[float, float]:
    low, high = float(np.nanmin(statistics.low)), float(np.nanmax(statistics.high))
    low = min(low, float(np.nanmin(statistics.middle)))
    high = max(high, float(np.nanmax(statistics.middle)))
    margin = 0.06 * (high - low) or 1.0
    return low - margin, high + margin


def _make_date_ticks(
    edges: Sequence[float] | np.ndarray, date_part: DatePart | None
) -> list[tuple[float, str]]:
    """Return the first, a middle and the last day of the edges, (k + 1,), as ticks."""
    ends = (float(edges[0]), float(edges[-1]))
    days = [ends[0], sum(ends) / 2, ends[1]]
    return [(day, format_tick(date_part, day, ends[1] - ends[0])) for day in days]
