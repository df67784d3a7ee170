"""A range on an axis: where values lie, ticks, the prior's density, and what dragging gives."""

import math
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from studio.arrays import Floats
from studio.gui.pages.space.texts import short_number
from studio.space.ranges import LARGEST_FLOAT, LARGEST_INTEGER, Float, Integer

Handle = Literal["low", "default", "high"]
HANDLES: tuple[Handle, ...] = ("low", "default", "high")

MARGIN = 0.12
"""Share of the axis that is left free on either side, so that both ends can be dragged outwards."""

MAX_BARS = 60
"""Whole numbers up to which each one is drawn by itself."""

_ROUNDEST = 12
_TALLEST = 20
_MAX_TICKS = 7


@dataclass(frozen=True)
class RangeAxis:
    """A valid range as it is drawn.

    Attributes:
        low, high, default: The range and its default.
        log: Whether values are drawn on a log scale (equal factors equally likely).
        whole: Whether there are whole numbers only.
        start, end: The values at the axis' ends, beyond the range.
        drawn_log: Whether the axis itself is logarithmic.
    """

    low: float
    high: float
    default: float
    log: bool
    whole: bool
    start: float
    end: float
    drawn_log: bool

    # ---- places

    def place(self, value: float) -> float:
        """Return where a value lies, 0 at the axis' left and 1 at its right."""
        start, end = self._scaled(self.start), self._scaled(self.end)
        return (self._scaled(value) - start) / (end - start)

    def value(self, place: float) -> float:
        """Return the value at a place."""
        start, end = self._scaled(self.start), self._scaled(self.end)
        at = start + place * (end - start)
        return math.exp(at) if self.drawn_log else at

    def _scaled(self, value: float) -> float:
        return math.log(max(value, 1e-300)) if self.drawn_log else value

    def rounded(self, place: float, slack: float) -> float:
        """Return the number with the fewest digits within ``slack`` of a place."""
        wanted = self.value(place)
        if self.whole:
            return float(round(wanted))
        for digits in range(1, _ROUNDEST):
            number = float(f"{wanted:.{digits - 1}e}")
            usable = number > 0 or not self.drawn_log
            if usable and abs(self.place(number) - place) <= slack:
                return number
        # Next to zero, relative digits never get near enough.
        return 0.0 if not self.drawn_log and abs(self.place(0.0) - place) <= slack else wanted

    # ---- dragging

    def moved(self, handle: Handle, place: float, slack: float) -> "RangeAxis":
        """Return the range after a handle was put to a place; the others give way.

        An end stops at the other one, the default at both; an end pushes the default before it.
        """
        value = self.rounded(min(max(place, 0.0), 1.0), slack)
        low, high, default = self.low, self.high, self.default
        if handle == "default":
            return replace(self, default=min(max(value, low), high))
        largest = float(LARGEST_INTEGER) if self.whole else LARGEST_FLOAT
        if handle == "low":
            floor = (1.0 if self.whole else 1 / largest) if self.log else -largest
            low = min(max(value, floor), high)
        else:
            high = max(min(value, largest), low)
        return replace(self, low=low, high=high, default=min(max(default, low), high))

    def stepped(self, handle: Handle, steps: int) -> "RangeAxis":
        """Return the range after ``steps`` of the arrow keys: a hundredth of the axis each."""
        at: float = getattr(self, handle)
        made = self.moved(handle, self.place(at) + steps / 100, 0.004)
        if self.whole and getattr(made, handle) == at:
            way = 1 if steps > 0 else -1
            made = self.moved(handle, self.place(at + way), 0.0)
        return made

    # ---- what is drawn

    def ticks(self) -> list[tuple[float, str]]:
        """Return places and texts of the ticks, left to right."""
        numbers = _decades(self.start, self.end) if self.drawn_log else _even(self.start, self.end)
        if self.whole:
            numbers = [number for number in numbers if number == round(number)]
        return [(self.place(number), short_number(number)) for number in numbers]

    def bars(self) -> list[tuple[float, float]]:
        """Return the place of each whole number and its chance, 1 for the likeliest.

        None for continuous ranges and for more than :data:`MAX_BARS` numbers.
        """
        if not self.whole or self.high - self.low >= MAX_BARS:
            return []
        numbers = np.arange(self.low, self.high + 1)
        chances = np.ones(len(numbers))
        if self.log:
            chances = np.log((numbers + 0.5) / (numbers - 0.5))
        return [
            (self.place(float(number)), float(chance / chances.max()))
            for number, chance in zip(numbers, chances, strict=True)
        ]

    def density(self, points: int = 120) -> tuple[Floats, Floats]:
        """Return places in the range and the prior's density, cut at 1, shape (points,) each.

        A range drawn on its own scale is flat. A log range on a linear axis falls as 1/x; a linear
        range on a log axis rises with x: nearly all draws fall into the last decade.
        """
        places = np.linspace(self.place(self.low), self.place(self.high), points)
        if self.log == self.drawn_log:
            return places, np.ones(points)
        start, end = self._scaled(self.start), self._scaled(self.end)
        at = start + places * (end - start)
        heights = 1.0 / np.maximum(at, 1e-300) if self.log else np.exp(at - at.max())
        # The tallest few places would leave nothing of the others to see.
        peak = np.sort(heights)[-1 - points // _TALLEST]
        return places, np.minimum(heights / peak, 1.0)


def range_axis(parameter: Float | Integer, drawn_log: bool | None = None) -> RangeAxis | None:
    """Lay a range out on an axis; ``None`` where it has to be mended first.

    Args:
        parameter: The range.
        drawn_log: Whether the axis is logarithmic; by default as the range is. Ranges that reach
            zero cannot be drawn so.
    """
    if any(problem.severity == "error" for problem in parameter.own_problems()):
        return None
    low, high = float(parameter.low), float(parameter.high)
    log = parameter.log if drawn_log is None else drawn_log
    log = log and low > 0
    if log:
        least = math.log(1 + 1.5 / high) if isinstance(parameter, Integer) else 0.2
        wide = max((math.log(high) - math.log(low)) * MARGIN / (1 - 2 * MARGIN), least)
        start, end = math.exp(math.log(low) - wide), math.exp(math.log(high) + wide)
    else:
        least = 1.0 if isinstance(parameter, Integer) else max(abs(high) * 0.1, 1e-12)
        wide = max((high - low) * MARGIN / (1 - 2 * MARGIN), least if high == low else 0.0)
        if isinstance(parameter, Integer):
            wide = max(wide, 1.0)
        start, end = low - wide, high + wide
        if parameter.log and start <= 0:
            # A log range cannot be dragged to zero; there is no use in showing what lies beyond.
            start = 0.0
    whole = isinstance(parameter, Integer)
    return RangeAxis(low, high, float(parameter.default), parameter.log, whole, start, end, log)


def _decades(start: float, end: float) -> list[float]:
    first, last = math.ceil(math.log10(start) - 1e-9), math.floor(math.log10(end) + 1e-9)
    if last - first < 2:
        every = [m * 10.0**k for k in range(first - 1, last + 1) for m in (1, 2, 5)]
        return [float(f"{number:.1g}") for number in every if start <= number <= end]
    step = -(-(last - first + 1) // _MAX_TICKS)
    return [float(f"1e{k}") for k in range(first, last + 1) if k % step == 0]


def _even(start: float, end: float) -> list[float]:
    rough = (end - start) / (_MAX_TICKS - 1)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(m * power for m in (1, 2, 5, 10) if m * power >= rough)
    first = math.ceil(start / step - 1e-9)
    count = math.floor(end / step + 1e-9) - first + 1
    return [float(f"{(first + k) * step:.6g}") for k in range(count)]
