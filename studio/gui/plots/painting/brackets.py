"""Brackets of groups along the left and the foot of a matrix, with names where they fit."""

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen, QTransform

from studio.figures.marks import Group
from studio.gui.base import theme
from studio.gui.base.inks import colour
from studio.gui.plots.painting.screen_item import ScreenItem

_AWAY, _TICK = 5.0, 4.0
"""Pixels from the matrix to a bracket, and the length of its ends."""


class BracketsItem(ScreenItem):
    """Paints a bracket for each group; the matrix has cells of one unit, its first row on top."""

    def __init__(self) -> None:
        super().__init__()
        self._groups: Sequence[Group] = ()
        self._size = 0

    def show_brackets(self, groups: Sequence[Group], size: int) -> None:
        """Show these beside a matrix of this many rows."""
        self.prepareGeometryChange()
        self._groups, self._size = groups, size
        self.update()

    def boundingRect(self) -> QRectF:
        """Cover the matrix and what lies beside it."""
        edge = 0.1 * self._size
        return QRectF(-edge, 0, self._size + edge, self._size + edge)

    def paint_pixels(self, painter: QPainter, to_screen: QTransform) -> None:
        """Draw in pixels of the screen, so that lines and letters keep their size."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        font = theme.font(theme.SMALL - 1, bold=True)
        painter.setFont(font)
        metrics = QFontMetricsF(font)
        for group in self._groups:
            first, end = (
                to_screen.map(QPointF(place, place)) for place in (group.first, group.end)
            )
            left = to_screen.map(QPointF(0, 0)).x() - _AWAY
            foot = to_screen.map(QPointF(0, self._size)).y() + _AWAY
            painter.setPen(QPen(colour(group.ink), 2.5))
            high, low = first.y() + 1, end.y() - 1
            painter.drawLine(QPointF(left, high), QPointF(left, low))
            for y in (high, low):
                painter.drawLine(QPointF(left, y), QPointF(left + _TICK, y))
            start, stop = first.x() + 1, end.x() - 1
            painter.drawLine(QPointF(start, foot), QPointF(stop, foot))
            for x in (start, stop):
                painter.drawLine(QPointF(x, foot), QPointF(x, foot - _TICK))
            width = metrics.horizontalAdvance(group.name)
            has_room = width + 6 <= stop - start and metrics.height() + 2 <= low - high
            if group.name and has_room:
                # Inside the square, at its upper left corner, on a patch that can be read on.
                patch = QRectF(start + 2, high + 2, width + 6, metrics.height())
                painter.fillRect(patch, theme.colour(theme.current().surface, 0.85))
                painter.setPen(QColor(theme.current().text))
                painter.drawText(patch, Qt.AlignmentFlag.AlignCenter, group.name)
