"""Draws a study's grid: names of data sets, mean errors, a sign for every repetition."""

from typing import Any

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

from studio.gui.base import theme
from studio.gui.base.language import tr
from studio.gui.base.theme import GRID
from studio.gui.pages.compare.cell_ground import paint_ground
from studio.gui.pages.compare.grid_view import CellView, RowView
from studio.gui.pages.compare.signs import paint_sign, sign_boxes, signs_area
from studio.gui.widgets.records import VALUE_ROLE, record_of

CELL_HEIGHT, CELL_WIDTH = 48, 120
"""Of a cell, at a scale of 1; wider where there is room."""


class GridDelegate(QStyledItemDelegate):
    """Draws names, mean errors, and the signs."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Any) -> QSize:
        """All cells are alike."""
        return QSize(theme.pixels(CELL_WIDTH), theme.pixels(CELL_HEIGHT))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Any) -> None:
        """Draw one cell."""
        paint_ground(painter, option)
        painter.save()
        row, cell = record_of(index), index.data(VALUE_ROLE)
        if cell is None:
            self._paint_name(painter, QRectF(option.rect), row)
        else:
            self._paint_cell(painter, QRectF(option.rect), cell)
        painter.restore()

    def _paint_name(self, painter: QPainter, area: QRectF, row: RowView) -> None:
        tokens, box = theme.current(), area.adjusted(GRID, 6, -GRID, -6)
        painter.setFont(theme.font(bold=True))
        painter.setPen(theme.colour(tokens.muted if row.left_out else tokens.text))
        _draw(painter, box, row.name, Qt.AlignmentFlag.AlignTop)
        painter.setFont(theme.font(theme.SMALL))
        painter.setPen(theme.colour(tokens.bad if row.left_out else tokens.muted))
        note = tr("left out: {why}", why=row.left_out) if row.left_out else row.note
        _draw(painter, box, note, Qt.AlignmentFlag.AlignBottom)

    def _paint_cell(self, painter: QPainter, area: QRectF, cell: CellView) -> None:
        tokens, box = theme.current(), area.adjusted(GRID, 6, -GRID, -6)
        painter.setFont(theme.font(bold=cell.best))
        painter.setPen(theme.colour(tokens.muted if cell.mean is None else tokens.text))
        _draw(painter, box, cell.text, Qt.AlignmentFlag.AlignTop)
        for sign, segment in zip(
            sign_boxes(signs_area(area), len(cell.segments)), cell.segments, strict=True
        ):
            paint_sign(painter, sign, segment.state, segment.share)


def _draw(painter: QPainter, box: QRectF, text: str, side: Qt.AlignmentFlag) -> None:
    cut = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, int(box.width()))
    painter.drawText(box, side | Qt.AlignmentFlag.AlignLeft, cut)
