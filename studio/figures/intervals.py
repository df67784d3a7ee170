"""Figure of estimates with their intervals, one per row, lower values on the left."""

from collections.abc import Sequence
from dataclasses import dataclass

from studio.figures.axes import choose_ticks
from studio.figures.shapes import Diagram, Dot, Path, Shape, TextLabel, estimate_text_width
from studio.measure import make_tick_formatter

_ROW, _AXIS_HEIGHT, _EDGE = 48.0, 26.0, 8.0

_MIN_RELATIVE_SPAN = 0.1
"""Least length of a scale relative to its largest value: close values stay close together."""


@dataclass(frozen=True)
class IntervalRow:
    """An uncertain value, with its text and the role of its ink."""

    name: str
    value: float
    interval: tuple[float, float] | None
    text: str
    colour: str

    @property
    def ends(self) -> tuple[float, ...]:
        """The value and the limits of the interval, if any."""
        return (self.value, *(self.interval or ()))


def make_interval_diagram(
    rows: Sequence[IntervalRow], unit: str, title: str, note: str, width: float = 720.0
) -> Diagram:
    """Return a dot with a whisker for each estimate.

    Args:
        rows: At least one, from the top.
        unit: Of the values (:func:`studio.measure.format_loss`).
        note: Text at the end of the scale that names the better direction.
        width: In pixels.
    """
    low, high = compute_padded_range([end for row in rows for end in row.ends])
    left, right = _EDGE, width - _EDGE

    def to_x(value: float) -> float:
        return left + (right - left) * (value - low) / (high - low)

    shapes: list[Shape] = []
    for index, row in enumerate(rows):
        top = _ROW * index + 16
        shapes += [
            TextLabel(left, top, row.name, size=13),
            TextLabel(right, top, row.text, "end", size=13, bold=True),
            Path(((left, top + 16), (right, top + 16)), "raised", 2.0),
        ]
        if row.interval is not None:
            start, end = map(to_x, row.interval)
            whisker_ends = ((start, top + 16), (end, top + 16))
            shapes.append(Path(whisker_ends, row.colour, 4.0, round_ends=True))
        shapes.append(Dot(to_x(row.value), top + 16, 7.0, row.colour, has_outline=True))
    bottom = _ROW * len(rows) + 2
    shapes.append(Path(((left, bottom), (right, bottom)), "border"))
    ticks = choose_ticks(low, high, 5)
    format_tick = make_tick_formatter(ticks, unit)
    shapes += [
        TextLabel(to_x(tick), bottom + 16, format_tick(tick), "middle", "muted", 11.5)
        for tick in ticks
        if left + 20 <= to_x(tick) <= right - estimate_text_width([note]) - 20
    ]
    shapes.append(TextLabel(right, bottom + 16, note, "end", "muted", 11.5))
    return Diagram("intervals", title, "", width, bottom + _AXIS_HEIGHT, tuple(shapes))


def compute_padded_range(values: Sequence[float]) -> tuple[float, float]:
    """Return limits around values, non-negative if all values are."""
    low, high = min(values), max(values)
    min_span = _MIN_RELATIVE_SPAN * max(abs(low), abs(high))
    margin = max(0.12 * (high - low), (min_span - (high - low)) / 2) or 0.01
    return (max(0.0, low - margin) if low >= 0 else low - margin), high + margin
