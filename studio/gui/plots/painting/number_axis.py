"""An axis of numbers: one precision, thousands apart, and as many as have room."""

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyqtgraph
from PySide6.QtCore import QRectF
from PySide6.QtGui import QFontMetricsF

from studio.gui.base import theme
from studio.language import as_read
from studio.numerals import Numerals, decade

_APART = 12
"""Pixels between two numbers beside one another."""

_CLOSEST = 46, 26
"""Pixels from one number to the next at least: along the bottom, and one above another."""

_DIGITS = 4
"""Digits that a number has at most, where there is room for two of them."""

_NICE = (1, 2, 5)


class NumberAxis(pyqtgraph.AxisItem):  # type: ignore[misc]
    """An axis that writes its numbers as the language has them.

    Only round steps for which there is room are written, so that no number touches another;
    hairlines between them have none.

    Attributes:
        whole: Whether it counts: there is nothing between two whole numbers.
    """

    def __init__(self, side: str) -> None:
        super().__init__(side)
        self.whole = False
        self._beyond = 0
        self.enableAutoSIPrefix(False)
        # A third level of ticks is too faint to be seen, and most of what an axis' painting costs.
        self.setStyle(maxTickLevel=1, maxTextLevel=0)

    def reach(self, beyond: int) -> None:
        """Let texts reach this many pixels beyond the ends; others there are not drawn."""
        if beyond != self._beyond:
            self.prepareGeometryChange()
            self._beyond = beyond

    def boundingRect(self) -> QRectF:
        """Return where it draws."""
        drawn: QRectF = super().boundingRect()
        return drawn.adjusted(-self._beyond, 0, self._beyond, 0)

    def tickSpacing(self, minVal: float, maxVal: float, size: float) -> list[tuple[float, float]]:
        """Return the step of the numbers that fit, and that of the hairlines between them."""
        span = maxVal - minVal
        if not span > 0 or not math.isfinite(span):
            return []
        for step, finer in self._short(minVal, maxVal, size):
            ends = [math.ceil(minVal / step) * step, math.floor(maxVal / step) * step]
            if size * step / span >= self._needed(self._linear(ends, step)):
                return [(step, 0.0), (finer, 0.0)]
        return []

    def _short(self, low: float, high: float, size: float) -> Iterator[tuple[float, float]]:
        """Yield the steps of numbers with few digits, as far as two of those are in the range."""
        span, largest = high - low, max(abs(low), abs(high))
        steps = list(self._steps(span, size))
        several = [each for each in steps if 2 * each[0] <= span]
        # A step of 5 is written with the digit of its 1.
        short = [s for s in several if largest / 10.0 ** _power(s[0]) < 10**_DIGITS]
        yield from short or several[-1:]
        yield from steps[len(several) :]

    def _steps(self, span: float, size: float) -> Iterator[tuple[float, float]]:
        """Yield round steps from the least that may fit, and what divides each."""
        least = span / max(2.0, size / theme.pixels(_CLOSEST[not self._is_level]))
        power = math.floor(math.log10(least))
        for place in range(12):
            nice, decimal = _NICE[place % 3], 10.0 ** (power + place // 3)
            step, finer = nice * decimal, (decimal if nice > 1 else decimal / 2)
            if step >= least and (not self.whole or step >= 1):
                yield step, max(finer, 1.0) if self.whole else finer

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:
        """Return the numbers' texts."""
        if self.logMode:
            return self._decades(values)
        return self._linear(values, spacing * scale)

    def _linear(self, values: Sequence[float], step: float) -> list[str]:
        largest = max(map(abs, (*self.range, *values)), default=0.0)
        return [_shown(Numerals.stepped(largest, step).text(value)) for value in values]

    def logTickValues(
        self, minVal: float, maxVal: float, size: float, stdTicks: Any
    ) -> list[tuple[float | None, list[float]]]:
        """Return the powers of ten that fit; of few decades also 2 and 5 times them."""
        del stdTicks
        powers = np.arange(math.floor(minVal), math.ceil(maxVal) + 1)
        minor = [float(p + m) for p in powers for m in np.log10(np.arange(1, 10))]
        seen = [each for each in minor if minVal <= each <= maxVal]
        return [(None, self._chosen(minVal, maxVal, size)), (None, seen)]

    def _chosen(self, low: float, high: float, size: float) -> list[float]:
        powers = range(math.floor(low), math.ceil(high) + 1)
        fine = [p + math.log10(m) for p in powers for m in _NICE]
        thinned = [[float(p) for p in powers if p % n == 0] for n in (1, 2, 3, 5, 10, 20, 50)]
        for every in [fine, *thinned]:
            seen = [each for each in every if low <= each <= high]
            gaps = np.diff(seen) * size / (high - low)
            if len(seen) >= 2 and gaps.min() >= self._needed(self._decades(seen)):
                return seen
        return [each for each in fine if low <= each <= high][:1]

    def _decades(self, values: Sequence[float]) -> list[str]:
        low, high = (math.floor(each + 1e-9) for each in self.range)
        texts = []
        for value in values:
            power = math.floor(value + 1e-9)
            times = round(10.0 ** (value - power))
            text = decade(power, low, high, times)
            texts.append(_shown(text))
        return texts

    @property
    def _is_level(self) -> bool:
        return self.orientation in ("bottom", "top")

    def _needed(self, texts: Sequence[str]) -> float:
        """Return the pixels from the middle of a text to that of the next."""
        metrics = QFontMetricsF(theme.font(theme.SMALL))
        if not self._is_level:
            return metrics.height()
        return max(map(metrics.horizontalAdvance, texts), default=0.0) + _APART

    def widest(self, low: float, high: float, size: float) -> float:
        """Return the pixels that the numbers of a range need beside an axis of a length."""
        levels = self.tickValues(low, high, max(size, 1.0))
        spacing, values = levels[0] if levels else (1.0, [])
        metrics = QFontMetricsF(theme.font(theme.SMALL))
        texts = self.tickStrings(values, 1.0, spacing or 1.0)
        return max(map(metrics.horizontalAdvance, texts), default=0.0)


def _power(step: float) -> int:
    """Return the power of ten of a step's first digit."""
    return math.floor(math.log10(step) + 1e-9)


def _shown(text: str) -> str:
    """Return a number of an axis in the language in force, with a minus sign."""
    return as_read(text)
