"""Many boxes, of which thousands may be narrower than a pixel."""

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QTransform

from studio.arrays import Floats
from studio.gui.plots.painting.screen_item import ScreenItem

_NOTHING: Floats = np.empty(0)


class PaintedSlimBoxes(ScreenItem):
    """Boxes of one colour."""

    def __init__(self) -> None:
        super().__init__()
        self._x0 = self._x1 = self._y0 = self._y1 = _NOTHING
        self._colour = QColor()
        self._area = QRectF()

    def show_boxes(self, x0: Floats, x1: Floats, y0: Floats, y1: Floats, colour: QColor) -> None:
        """Draw these; four arrays of shape (n,)."""
        self.prepareGeometryChange()
        self._x0, self._x1, self._y0, self._y1, self._colour = x0, x1, y0, y1, colour
        self._area = QRectF()
        if len(x0):
            left, low = float(x0.min()), float(y0.min())
            self._area = QRectF(left, low, float(x1.max()) - left, float(y1.max()) - low)
        self.update()

    def boundingRect(self) -> QRectF:
        """Cover all boxes."""
        return self._area

    def paint_pixels(self, painter: QPainter, to_screen: QTransform) -> None:
        """Fill the boxes in pixels of the screen; what one pixel hides of the next is left out."""
        left = to_screen.m11() * self._x0 + to_screen.dx()
        width = np.maximum(to_screen.m11() * (self._x1 - self._x0), 1.0)
        ends = [to_screen.m22() * y + to_screen.dy() for y in (self._y0, self._y1)]
        top, height = np.minimum(*ends), np.abs(ends[1] - ends[0])
        boxes = np.unique(np.round(np.stack([left, top, width, height], axis=1), 1), axis=0)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._colour)
        painter.drawRects([QRectF(*box) for box in boxes.tolist()])
