"""The right edge of a panel: names beside it, or what each line ends in, in its colour."""

from collections.abc import Sequence
from typing import Any

import pyqtgraph
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPen

from studio.figures.axes import spread
from studio.figures.figure import End
from studio.gui.base import theme
from studio.gui.base.inks import colour

_LEADER = 14
"""Width of the line from a curve's end to its name."""

_ROOMY = 200
"""Height of a panel, in pixels, from which on the names are large."""


class EndAxis(pyqtgraph.AxisItem):  # type: ignore[misc]
    """An axis at the right that may name the ends of lines instead of places."""

    def __init__(self) -> None:
        super().__init__("right")
        self._ends: tuple[End, ...] = ()
        self._widest = 0

    def name_ends(self, ends: Sequence[End], height: float) -> None:
        """Show these names beside a panel of this height.

        The room for them only grows, so that the panel does not change its width with a digit.
        """
        font = _font(height)
        widest = _widest(ends, font)
        self._ends = tuple(sorted(ends, key=lambda end: -end.y))
        if font != getattr(self, "_named_in", None):
            self._named_in, self._widest = font, 0
        self._widest = max(self._widest, widest)
        self.setWidth(self._widest + _LEADER + theme.GRID)
        self.update()

    def paint(self, painter: Any, option: Any, widget: Any) -> None:
        """Write the names, each level with its line as far as there is room."""
        if not self._ends:
            super().paint(painter, option, widget)
            return
        box = self.linkedView()
        font = _font(box.height())
        half = QFontMetrics(font).height() / 2
        levels = [
            self.mapFromScene(box.mapViewToScene(QPointF(0.0, end.y))).y() for end in self._ends
        ]
        places = spread(levels, 2 * half, half, box.height() - half)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(font)
        for end, level, place in zip(self._ends, levels, places, strict=True):
            painter.setPen(QPen(colour(end.ink), 1))
            painter.drawLine(QPointF(1, level), QPointF(_LEADER - 4, place))
            area = QRectF(_LEADER, place - half, self._widest + theme.GRID, 2 * half)
            painter.drawText(area, Qt.AlignmentFlag.AlignVCenter, end.text)


def room_for(ends: Sequence[End], height: float) -> int:
    """Return the pixels that the names of ends take beside a panel of a height."""
    return _widest(ends, _font(height)) + _LEADER + theme.GRID


def _widest(ends: Sequence[End], font: QFont) -> int:
    return max((QFontMetrics(font).horizontalAdvance(end.text) for end in ends), default=0)


def _font(height: float) -> QFont:
    large = height >= theme.pixels(_ROOMY)
    return theme.font(theme.LARGE if large else theme.SMALL, bold=True)
