"""Numbers in the cells of a heat map, painted by one item at the size of the screen's text."""

import math

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QTransform

from studio.arrays import Floats
from studio.gui.base import theme
from studio.gui.base.language import number, percent
from studio.gui.plots.painting.scale import on_scale
from studio.gui.plots.painting.screen_item import ScreenItem


class MatrixNumbers(ScreenItem):
    """Writes the values of a square matrix into cells of one unit; NaN cells stay empty."""

    def __init__(self) -> None:
        super().__init__()
        self._values: Floats | None = None
        self._highest = 1.0
        self._percent = False

    def show_values(self, values: Floats | None, highest: float, *, percent: bool) -> None:
        """Write these, (k, k); ``highest`` is the end of the colour scale, None writes nothing."""
        self.prepareGeometryChange()
        self._values, self._highest, self._percent = values, highest, percent
        self.update()

    def boundingRect(self) -> QRectF:
        """Cover the matrix."""
        size = 0 if self._values is None else len(self._values)
        return QRectF(0, 0, size, size)

    def paint_pixels(self, painter: QPainter, to_screen: QTransform) -> None:
        """Write every number in the middle of its cell, if it fits."""
        values = self._values
        if values is None:
            return
        cell = to_screen.mapRect(QRectF(0, 0, 1, 1))
        painter.setFont(theme.font(theme.SMALL - 1))
        room = painter.fontMetrics().horizontalAdvance("0.00")
        if cell.width() >= room + 4 and cell.height() >= painter.fontMetrics().height():
            for row, line in enumerate(values):
                for column, value in enumerate(line):
                    if not math.isnan(value):
                        middle = to_screen.map(QPointF(column + 0.5, row + 0.5))
                        area = QRectF(0, 0, cell.width(), cell.height())
                        area.moveCenter(middle)
                        painter.setPen(on_scale(value / self._highest))
                        text = self.written(row, column, value, area)
                        painter.drawText(area, Qt.AlignmentFlag.AlignCenter, text)

    def written(self, row: int, column: int, value: float, area: QRectF) -> str:
        """Return what is written in a cell, whose place on the screen is ``area``."""
        del row, column, area  # other matrices write more
        return percent(value, 0) if self._percent else number(value, ".2f")
