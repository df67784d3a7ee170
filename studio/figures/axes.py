"""A frame with two axes, for diagrams."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from studio.figures.shapes import Dot, Path, Shape, TextLabel
from studio.numerals import format_significant

WIDTH, HEIGHT = 720.0, 360.0
LEFT, RIGHT, TOP, BOTTOM = 64.0, 16.0, 34.0, 44.0
_MIN_TOP_MARGIN = 12.0

LEADER, _NAME, _END_RADIUS = 18.0, 16.0, 3.0
"""Width of the line from a curve's end to its label, height of a label, and radius of the dot at
the end, in pixels."""


def choose_ticks(low: float, high: float, n_required: int = 6) -> list[float]:
    """Return round ticks from low to high, approximately as many as requested."""
    if high <= low:
        return [low]
    rough = (high - low) / n_required
    size = 10.0 ** math.floor(math.log10(rough))
    step = next(size * each for each in (1, 2, 2.5, 5, 10) if size * each >= rough)
    first = math.ceil(low / step - 1e-9)
    return [k * step for k in range(first, math.floor(high / step + 1e-9) + 1)]


def format_number(value: float) -> str:
    """Format a number of an axis."""
    return format_significant(value, "g")


def format_integer(value: float) -> str:
    """Format an integer of an axis; empty for fractions."""
    return f"{value:.0f}" if value == int(value) else ""


@dataclass(frozen=True)
class Axes:
    """Scales of a diagram of the default size.

    Attributes:
        x_range, y_range: Least and greatest number.
        x_title, y_title: With the unit; possibly empty.
        is_y_inverted: Whether y grows downwards (ranks: the best on top).
        height, right_margin: Height of the diagram and width of its right margin, in pixels.
        x_text, y_text: Format the tick labels; empty for none.
    """

    x_range: tuple[float, float]
    y_range: tuple[float, float]
    x_title: str
    y_title: str
    is_y_inverted: bool = False
    height: float = HEIGHT
    right_margin: float = RIGHT
    x_text: Callable[[float], str] = format_number
    y_text: Callable[[float], str] = format_number

    def to_x(self, value: float) -> float:
        """Return a number's x coordinate."""
        low, high = self.x_range
        return LEFT + (WIDTH - LEFT - self.right_margin) * (value - low) / ((high - low) or 1.0)

    def to_y(self, value: float) -> float:
        """Return a number's y coordinate."""
        low, high = self.y_range
        position = (value - low) / ((high - low) or 1.0)
        top = TOP if self.y_title else _MIN_TOP_MARGIN
        return top + (self.height - top - BOTTOM) * (
            position if self.is_y_inverted else 1 - position
        )

    def draw_frame(self, *, x_ticks: bool = True) -> list[Shape]:
        """Return grid, numbers and titles."""
        shapes: list[Shape] = []
        for value in choose_ticks(*self.y_range):
            y = self.to_y(value)
            shapes.append(Path(((LEFT, y), (WIDTH - self.right_margin, y)), "border"))
            shapes.append(TextLabel(LEFT - 8, y + 4, self.y_text(value), "end", "muted", 11))
        if x_ticks:
            for value in choose_ticks(*self.x_range):
                bottom = self.height - BOTTOM + 16
                shapes.append(
                    TextLabel(self.to_x(value), bottom, self.x_text(value), "middle", "muted", 11)
                )
        middle = (LEFT + WIDTH - self.right_margin) / 2
        shapes.append(TextLabel(middle, self.height - 8, self.x_title, "middle"))
        shapes.append(TextLabel(4, 14, self.y_title))
        return shapes


def spread_positions(
    targets: Sequence[float], min_gap: float, low: float, high: float
) -> list[float]:
    """Return positions near ascending ``targets``, in [low, high] and ``min_gap`` apart."""
    positions: list[float] = []
    for target in targets:
        positions.append(max(target, positions[-1] + min_gap) if positions else max(target, low))
    limit = high
    for number in reversed(range(len(positions))):
        positions[number] = min(positions[number], limit)
        limit = positions[number] - min_gap
    return positions


def make_end_labels(
    names: Sequence[str],
    colours: Sequence[str],
    line_ends: Sequence[tuple[float, float]],
    low: float,
    high: float,
) -> list[Shape]:
    """Return the end labels of lines, between two heights, each with a leader.

    A dot ends the data: beyond it, the thin grey leader must not look like a change of the value.
    """
    order = sorted(range(len(names)), key=lambda index: line_ends[index][1])
    levels = spread_positions([line_ends[index][1] for index in order], _NAME, low, high)
    shapes: list[Shape] = []
    for index, level in zip(order, levels, strict=True):
        x, y = line_ends[index]
        shapes.append(Dot(x, y, _END_RADIUS, colours[index]))
        shapes.append(Path(((x + 2 * _END_RADIUS, y), (x + LEADER, level)), "muted", 0.75))
        shapes.append(TextLabel(x + LEADER + 4, level + 4, names[index]))
    return shapes
