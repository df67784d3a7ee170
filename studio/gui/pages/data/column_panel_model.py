"""What the panel of a column says and draws; without Qt."""

from collections.abc import Sequence

import numpy as np

from studio.analysis.answers.column_facts import Against, ColumnFacts
from studio.data.date_texts import text_of
from studio.figures.compose import rows_axis
from studio.figures.figure import Axis, Figure, Panel
from studio.figures.ink import MUTED, Ink, series
from studio.figures.marks import Boxes, Dots, Line, Mark, strokes
from studio.language import grouped, number, percent, tr

_LABEL = 14


def facts_lines(facts: ColumnFacts) -> list[tuple[str, str]]:
    """Return the names of what is known, and its values."""
    total = facts.filled + facts.missing
    missing = grouped(facts.missing)
    if facts.missing:
        missing += f" ({percent(facts.missing / total, 1)})"
    lines = [
        (tr("Rows with a value"), grouped(facts.filled)),
        (tr("Missing"), missing),
        (tr("Different values"), grouped(facts.distinct)),
    ]
    if facts.quantiles:
        names = (
            tr("Minimum"),
            tr("Lower quartile"),
            tr("Median"),
            tr("Upper quartile"),
            tr("Maximum"),
        )
        found = [value_words(facts, each) for each in facts.quantiles]
        lines += [*zip(names, found, strict=True), (tr("Mean"), value_words(facts, facts.mean))]
    return lines


def frequent_lines(facts: ColumnFacts) -> list[tuple[str, str]]:
    """Return the most frequent values, with their rows and share; nothing where all differ."""
    if all(count == 1 for _, count in facts.frequent):
        return []
    return [
        (value, f"{grouped(count)} ({percent(count / facts.filled, 1)})")
        for value, count in facts.frequent
    ]


def value_words(facts: ColumnFacts, value: float) -> str:
    """Write a value of a column as numbers or dates are written."""
    if facts.kind == "date":
        return text_of(value).partition(" ")[0]
    return number(value, ",.6g") if abs(value) < 1e6 else number(value, ",.9g")


def heading(facts: ColumnFacts, target: str) -> str:
    """Say what is drawn."""
    if facts.against.classes:
        return tr("Rows by class of {target}", target=target)
    if len(facts.against.middle):
        return tr("Mean of {target}, with the middle half of its values", target=target)
    return tr("How its values are distributed")


def figure(facts: ColumnFacts, target: str) -> Figure | None:
    """Return the groups of a column with the target; ``None`` where there is nothing to draw."""
    found = facts.against
    if not found.rows.sum():
        return None
    return _level(found, target) if found.labels else _upright(facts, target)


def _stacks(found: Against) -> list[tuple[str, Ink, np.ndarray, np.ndarray]]:
    """Return the bars that make up each group: name, ink, start and end, shape (k,) each."""
    if not found.classes:
        return [("", series(0, 0.75), np.zeros(len(found.rows)), found.rows.astype(float))]
    ends = np.cumsum(found.counts, axis=1).astype(float)
    starts = ends - found.counts
    stacks = [
        (name, series(place), starts[:, place], ends[:, place])
        for place, name in enumerate(found.classes)
    ]
    rest = found.rows - ends[:, -1]
    if rest.any():
        stacks.append((tr("others"), MUTED.faint(0.5), ends[:, -1], found.rows.astype(float)))
    return stacks


def _upright(facts: ColumnFacts, target: str) -> Figure:
    """Return bars of rows, or means, over the values of numbers or dates."""
    found = facts.against
    low, high = found.edges[:-1], found.edges[1:]
    beyond = facts.quantiles[0] < found.edges[0] or facts.quantiles[-1] > found.edges[-1]
    x = Axis(
        tr("the outermost bars include everything beyond") if beyond else "",
        float(low[0]),
        float(high[-1]),
        ticks=_dates(found.edges) if facts.kind == "date" else None,
        grid=False,
    )
    if not len(found.middle):
        marks: list[Mark] = [
            Boxes(x0=low, x1=high, y0=start, y1=end, ink=ink, name=name)
            for name, ink, start, end in _stacks(found)
        ]
        return Figure(
            [Panel(x, Axis(tr("rows"), 0.0, 1.05 * found.rows.max(), fitted=True))], marks
        )
    there = found.rows > 0
    centre = found.centres[there]
    across, up = strokes(found.low[there], found.high[there], centre, level=False)
    y = Axis(target, *_room(found), fitted=True)
    dots = Dots(x=centre, y=found.middle[there], ink=series(0), size=7.0)
    return Figure([Panel(x, y)], [Line(x=across, y=up, pairs=True, ink=series(0, 0.5)), dots])


def _level(found: Against, target: str) -> Figure:
    """Return bars of rows, or means, of the values of a category, the most frequent on top."""
    names = [each if len(each) <= _LABEL else each[: _LABEL - 1] + "…" for each in found.labels]
    places = np.arange(len(names), dtype=float)
    if not len(found.middle):
        marks: list[Mark] = [
            Boxes(x0=start, x1=end, y0=places - 0.31, y1=places + 0.31, ink=ink, name=name)
            for name, ink, start, end in _stacks(found)
        ]
        x = Axis(tr("rows"), 0.0, 1.05 * found.rows.max())
        return Figure([Panel(x, rows_axis(names))], marks)
    there = found.rows > 0
    across, up = strokes(found.low[there], found.high[there], places[there], level=True)
    dots = Dots(x=found.middle[there], y=places[there], ink=series(0), size=7.0)
    line = Line(x=across, y=up, pairs=True, ink=series(0, 0.5))
    return Figure([Panel(Axis(target, *_room(found)), rows_axis(names))], [line, dots])


def _room(found: Against) -> tuple[float, float]:
    """Return the range of an axis on which means and quartiles have room."""
    low, high = float(np.nanmin(found.low)), float(np.nanmax(found.high))
    low, high = min(low, float(np.nanmin(found.middle))), max(high, float(np.nanmax(found.middle)))
    room = 0.06 * (high - low) or 1.0
    return low - room, high + room


def _dates(edges: Sequence[float] | np.ndarray) -> list[tuple[float, str]]:
    """Return the first, a middle and the last day of edges (k + 1,) as ticks."""
    ends = (float(edges[0]), float(edges[-1]))
    days = [ends[0], sum(ends) / 2, ends[1]]
    return [(day, text_of(day)[:7]) for day in days]
