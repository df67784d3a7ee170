"""Heat maps, matrices of cells, the texts in them and the brackets beside them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyqtgraph
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QTransform

from studio.arrays import Floats
from studio.figures import marks
from studio.figures.ink import Ink
from studio.gui.base import theme
from studio.gui.base.inks import colour
from studio.gui.plots.painting.scale import on_scale, scale_table
from studio.gui.plots.painting.shown import PaintedMarks, ScreenItem

_ROOM = "0.00"
"""A cell that this does not fit into stays empty; so do all others, which have its size."""

_AWAY, _TICK = 5.0, 4.0
"""Pixels from the matrix to a bracket, and the length of its ends."""


class CellTexts(ScreenItem):
    """Writes a text into each cell, at the size of the screen's; a second line if it fits."""

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

        Args:
            shares: Shape (rows, columns). Where the cells' colours are on the scale.
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
        painter.setFont(theme.font(theme.SMALL))
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


class ShownHeat(PaintedMarks[marks.Heat]):
    """A matrix on the colour scale, with texts in its cells."""

    def made(self, axes: Any) -> Sequence[Any]:
        """Return an image, and what writes into it."""
        return (pyqtgraph.ImageItem(axisOrder="row-major"), CellTexts())

    def show(self, mark: marks.Heat) -> None:
        """Colour the cells."""
        image, texts = self.items
        pixels = np.empty((*mark.shares.shape, 4), dtype=np.uint8)
        places = np.clip(np.nan_to_num(mark.shares) * 255, 0, 255).astype(int)
        pixels[..., :3] = scale_table()[places]
        pixels[..., 3] = np.where(np.isnan(mark.shares), 0, 255)
        area = (mark.left, mark.bottom, mark.width, mark.height)
        image.setImage(pixels, autoLevels=False, levels=None)
        image.setRect(*area)
        texts.show_texts(mark.texts, mark.shares, area)


class ShownCells(PaintedMarks[marks.Cells]):
    """A matrix of cells in some inks."""

    def made(self, axes: Any) -> Sequence[Any]:
        """Return an image."""
        return (pyqtgraph.ImageItem(axisOrder="row-major"),)

    def show(self, mark: marks.Cells) -> None:
        """Colour the cells."""
        (image,) = self.items
        shades = np.zeros((*mark.places.shape, 4), dtype=np.uint8)
        if mark.inks:
            table = np.array([_triple(ink) for ink in mark.inks], dtype=np.uint8)
            shades[..., :3] = table[mark.places]
        # A pixel is one number of four bytes, the opacity the highest: quicker than byte by byte.
        pixels = (255 * mark.alphas + 0.5).astype("<u4") << 24 | shades.view("<u4")[..., 0]
        pixels = pixels.view(np.uint8).reshape(*mark.alphas.shape, 4)
        image.setImage(pixels, autoLevels=False, levels=None)
        image.setRect(mark.left, mark.bottom, mark.width, mark.height)


def _triple(ink: Ink) -> tuple[int, int, int]:
    made = colour(ink)
    return made.red(), made.green(), made.blue()
