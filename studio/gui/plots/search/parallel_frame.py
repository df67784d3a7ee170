"""The axes of the parallel coordinates, and the view in which one drags along them."""

from collections.abc import Sequence
from typing import Any

import pyqtgraph
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen, QTransform

from studio.gui.base import theme
from studio.gui.plots.painting.shown import ScreenItem
from studio.gui.plots.search.parallel_axes_model import FAILED, INACTIVE, ParallelAxis
from studio.gui.plots.search.parallel_model import Brushes

_BRUSH = 7.0
"""Half the width of a brush, in pixels."""


class BrushBox(pyqtgraph.ViewBox):  # type: ignore[misc]
    """A view that reports drags instead of moving what is drawn."""

    dragged = Signal(QPointF, QPointF)
    """Where the drag began and where it is, in the coordinates of the plot."""

    def mouseDragEvent(self, ev: Any, axis: int | None = None) -> None:
        """Report a drag with the left button."""
        del axis
        ev.accept()
        if ev.button() == Qt.MouseButton.LeftButton:
            begun = self.mapSceneToView(ev.buttonDownScenePos())
            self.dragged.emit(begun, self.mapSceneToView(ev.scenePos()))

    def wheelEvent(self, ev: Any, axis: int | None = None) -> None:
        """Leave the axes where they are."""
        del axis
        ev.ignore()


class ParallelFrame(ScreenItem):
    """Lines, titles, ticks and brushes of axes at x = 0, 1, 2 and so on."""

    def __init__(self) -> None:
        super().__init__()
        self._axes: tuple[ParallelAxis, ...] = ()
        self._brushes: dict[str, tuple[float, float]] = {}

    def show_axes(self, axes: Sequence[ParallelAxis], brushes: Brushes) -> None:
        """Paint these."""
        self.prepareGeometryChange()
        self._axes, self._brushes = tuple(axes), dict(brushes)
        self.update()

    def boundingRect(self) -> QRectF:
        """Cover the axes with their titles."""
        return QRectF(-1, -1, len(self._axes) + 1, 3)

    def paint_pixels(self, painter: QPainter, to_screen: QTransform) -> None:
        """Paint every axis in pixels of the screen."""
        left = 0.0
        for place, axis in enumerate(self._axes):
            self._paint_axis(painter, to_screen, place, axis)
            left = self._paint_title(painter, to_screen, place, axis.title, left)

    def _paint_axis(
        self, painter: QPainter, view: QTransform, place: int, axis: ParallelAxis
    ) -> None:
        look = theme.current()
        foot, head = view.map(QPointF(place, 0.0)), view.map(QPointF(place, 1.0))
        room = abs(view.map(QPointF(1.0, 0.0)).x() - view.map(QPointF(0.0, 0.0)).x())
        painter.setPen(QPen(QColor(look.muted), 1))
        painter.drawLine(foot, head)
        if axis.name in self._brushes:
            low, high = self._brushes[axis.name]
            top, bottom = view.map(QPointF(place, high)).y(), view.map(QPointF(place, low)).y()
            painter.setPen(QPen(QColor(look.accent), 1.5))
            painter.setBrush(theme.colour(look.accent, 0.25))
            painter.drawRoundedRect(
                QRectF(foot.x() - _BRUSH, top, 2 * _BRUSH, max(2.0, bottom - top)), 3, 3
            )
        painter.setFont(theme.font(theme.SMALL - 1))
        metrics = QFontMetricsF(painter.font())
        free = float("inf")
        for height, text in (*axis.ticks, axis.special):
            at = view.map(QPointF(place, height))
            muted = height in (INACTIVE, FAILED)
            # A tick that would touch the one before it is left out.
            if not text or abs(at.y() - free) < (0.7 if muted else 1.0) * metrics.height():
                continue
            free = at.y()
            colour = QColor(look.muted if muted else look.text)
            self._write(painter, at, text, room=room - 12, colour=colour)

    def _paint_title(
        self, painter: QPainter, view: QTransform, place: int, title: str, free: float
    ) -> float:
        """Write a title above its axis, right of what is not free; return where it ends.

        The last one may begin further left: it has no room beyond its axis.
        """
        painter.setFont(theme.font(theme.SMALL, bold=True))
        metrics = QFontMetricsF(painter.font())
        at = view.map(QPointF(place, FAILED))
        end = float(painter.viewport().right()) - 2
        if place + 1 < len(self._axes):
            end = view.map(QPointF(place + 1, FAILED)).x() - 12
        left = max(free, min(at.x() - 6, end - metrics.horizontalAdvance(title) - 2))
        shown = metrics.elidedText(title, Qt.TextElideMode.ElideRight, end - left)
        top = at.y() - 1.6 * metrics.height()
        area = QRectF(left, top, metrics.horizontalAdvance(shown) + 2, metrics.height())
        painter.setPen(QColor(theme.current().text))
        painter.drawText(area, Qt.AlignmentFlag.AlignCenter, shown)
        return area.right() + 6

    @staticmethod
    def _write(painter: QPainter, at: QPointF, text: str, *, room: float, colour: QColor) -> None:
        """Write a tick at the right of its axis, on a ground that dims the lines behind it."""
        metrics = QFontMetricsF(painter.font())
        shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, room)
        area = QRectF(
            at.x() + 9,
            at.y() - metrics.height() / 2,
            metrics.horizontalAdvance(shown) + 4,
            metrics.height(),
        )
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour(theme.current().surface, 0.72))
        painter.drawRoundedRect(area, 2, 2)
        painter.setPen(colour)
        painter.drawLine(QPointF(at.x() - 3, at.y()), QPointF(at.x() + 3, at.y()))
        painter.drawText(area, Qt.AlignmentFlag.AlignCenter, shown)
