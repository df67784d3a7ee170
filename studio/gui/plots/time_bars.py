"""Bars over time, painted by one item: thousands of them, none thinner than a pixel."""

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QTransform

from studio.arrays import Floats
from studio.gui.plots.painting.screen_item import ScreenItem

HEIGHT = 0.36
"""Half the height of a bar; rows are 1 apart."""


class TimeBars(ScreenItem):
    """Bars of one colour, from a beginning to an end, each in a row."""

    def __init__(self) -> None:
        super().__init__()
        self._begun = self._ended = self._rows = np.empty(0)
        self._colour = QColor()
        self._area = QRectF()

    def show_bars(self, begun: Floats, ended: Floats, rows: Floats, colour: QColor) -> None:
        """Draw these; three arrays of shape (n,)."""
        self.prepareGeometryChange()
        self._begun, self._ended, self._rows, self._colour = begun, ended, rows, colour
        self._area = QRectF()
        if len(begun):
            low, high = float(rows.min()) - HEIGHT, float(rows.max()) + HEIGHT
            left = float(begun.min())
            self._area = QRectF(left, low, float(ended.max()) - left, high - low)
        self.update()

    def boundingRect(self) -> QRectF:
        """Cover all bars."""
        return self._area

    def paint_pixels(self, painter: QPainter, to_screen: QTransform) -> None:
        """Fill the bars in pixels of the screen; what one pixel hides of the next is left out."""
        left = to_screen.m11() * self._begun + to_screen.dx()
        width = np.maximum(to_screen.m11() * (self._ended - self._begun), 1.0)
        ends = [
            to_screen.m22() * (self._rows + side) + to_screen.dy() for side in (-HEIGHT, HEIGHT)
        ]
        top, height = np.minimum(*ends), np.abs(ends[1] - ends[0])
        boxes = np.unique(np.round(np.stack([left, top, width, height], axis=1), 1), axis=0)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._colour)
        painter.drawRects([QRectF(*box) for box in boxes.tolist()])
