"""A frame with two axes for the diagrams that have them."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from studio.figures.shapes import Box, Path, Shape, Words, letters, series
from studio.numerals import significant

WIDTH, HEIGHT = 720.0, 360.0
LEFT, RIGHT, TOP, BOTTOM = 64.0, 16.0, 34.0, 44.0
_BARE = 12.0
"""Room at the top where there is no name."""


def ticks(low: float, high: float, wanted: int = 6) -> list[float]:
    """Return round numbers from low to high, about as many as wanted."""
    if high <= low:
        return [low]
    rough = (high - low) / wanted
    size = 10.0 ** math.floor(math.log10(rough))
    step = next(size * each for each in (1, 2, 2.5, 5, 10) if size * each >= rough)
    first = math.ceil(low / step - 1e-9)
    return [k * step for k in range(first, math.floor(high / step + 1e-9) + 1)]


def plain(value: float) -> str:
    """Write a number of an axis."""
    return significant(value, "g")


def whole(value: float) -> str:
    """Write a number of an axis that counts; empty between two counts."""
    return f"{value:.0f}" if value == int(value) else ""


@dataclass(frozen=True)
class Axes:
    """The positions of numbers in a diagram of the usual size.

    Attributes:
        x_range, y_range: Least and greatest number.
        x_title, y_title: What they are, with the unit; may be empty.
        down: Whether y grows downwards (ranks: the best on top).
        height: Of the diagram, in pixels.
        x_text, y_text: Write the numbers; none is drawn where the text is empty.
    """

    x_range: tuple[float, float]
    y_range: tuple[float, float]
    x_title: str
    y_title: str
    down: bool = False
    height: float = HEIGHT
    x_text: Callable[[float], str] = plain
    y_text: Callable[[float], str] = plain

    def x(self, value: float) -> float:
        """Return a number's place from the left."""
        low, high = self.x_range
        return LEFT + (WIDTH - LEFT - RIGHT) * (value - low) / ((high - low) or 1.0)

    def y(self, value: float) -> float:
        """Return a number's place from the top."""
        low, high = self.y_range
        share = (value - low) / ((high - low) or 1.0)
        top = TOP if self.y_title else _BARE
        return top + (self.height - top - BOTTOM) * (share if self.down else 1 - share)

    def frame(self, *, x_ticks: bool = True) -> list[Shape]:
        """Return grid, numbers and titles."""
        shapes: list[Shape] = []
        for value in ticks(*self.y_range):
            y = self.y(value)
            shapes.append(Path(((LEFT, y), (WIDTH - RIGHT, y)), "border"))
            shapes.append(Words(LEFT - 8, y + 4, self.y_text(value), "end", "muted", 11))
        if x_ticks:
            for value in ticks(*self.x_range):
                foot = self.height - BOTTOM + 16
                shapes.append(Words(self.x(value), foot, self.x_text(value), "middle", "muted", 11))
        middle = (LEFT + WIDTH - RIGHT) / 2
        shapes.append(Words(middle, self.height - 8, self.x_title, "middle"))
        shapes.append(Words(4, 14, self.y_title))
        return shapes


def legend(names: Sequence[str], top: float) -> tuple[list[Shape], float]:
    """Return the methods' names with their colours in rows, and how high these are."""
    shapes: list[Shape] = []
    x, y = LEFT, top + 12
    for place, name in enumerate(names):
        width = letters([name]) + 40
        if x + width > WIDTH and x > LEFT:
            x, y = LEFT, y + 20
        shapes.append(Box(x, y - 9, 14, 10, series(place)))
        shapes.append(Words(x + 20, y, name))
        x += width
    return shapes, y + 12 - top
