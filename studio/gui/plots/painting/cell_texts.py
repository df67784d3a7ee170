"""Texts in the cells of a matrix, painted by one item at the size of the screen's text."""

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QTransform

from studio.arrays import Floats
from studio.gui.base import theme
from studio.gui.plots.painting.scale import on_scale
from studio.gui.plots.painting.screen_item import ScreenItem

_ROOM = "0.00"
"""A cell that this does not fit into stays empty; so do all others, which have its size."""


class CellTexts(ScreenItem):
    """Writes a text into each cell; a second line only where there is height for it."""

    def __init__(self) -> None:
        super().__init__()
        self._texts: Sequence[Sequence[str]] = ()
        self._shares: Floats = np.empty((0, 0))
        self._area = QRectF()

    def show_texts(
        self,
        texts: Sequence[Sequence[str]],
        shares: Floats,
        area: tuple[float, float, float, float],
    ) -> None:
        """Write these into cells that cover an area (left, bottom, width, height).

        Parameters
        ----------
        shares : Floats, shape (rows, columns)
            Where the cells' colours are on the scale.
        """
        self.prepareGeometryChange()
        self._texts, self._shares, self._area = texts, shares, QRectF(*area)
        self.update()

    def boundingRect(self) -> QRectF:
        """Cover the matrix."""
        return self._area

    def paint_pixels(self, painter: QPainter, to_screen: QTransform) -> None:
        """Write every text in the middle of its cell, if it fits."""
        if not self._texts or not self._texts[0]:
            return
        across = self._area.width() / len(self._texts[0])
        up = self._area.height() / len(self._texts)
        cell = to_screen.mapRect(QRectF(0, 0, across, up))
        painter.setFont(theme.font(theme.SMALL - 1))
        metrics = painter.fontMetrics()
        if cell.width() < metrics.horizontalAdvance(_ROOM) + 4 or cell.height() < metrics.height():
            return
        whole = cell.height() > 2 * metrics.height() + 2
        area = QRectF(0, 0, cell.width(), cell.height())
        for row, line in enumerate(self._texts):
            for column, text in enumerate(line):
                x = self._area.left() + across * (column + 0.5)
                y = self._area.top() + up * (row + 0.5)
                area.moveCenter(to_screen.map(QPointF(x, y)))
                painter.setPen(on_scale(float(self._shares[row, column])))
                written = text if whole else text.split("\n", maxsplit=1)[0]
                painter.drawText(area, Qt.AlignmentFlag.AlignCenter, written)
