"""A table with a line below the chosen rows, which can be dragged."""

from PySide6.QtCore import QRect, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent

from studio.gui.base import theme
from studio.gui.pages.results.who_first.model import RowDelegate, RowsModel
from studio.gui.widgets.plain_table import PlainTable

ROW = 30
"""Height of a row, at a scale of 1."""

WIDEST = 240
"""Widest column; a longer text is cut and complete in its tooltip."""

_NEAR = 4
"""Pixels from the line within which it is taken hold of."""


class LinedTable(PlainTable):
    """A view of the rows.

    Args:
        rows: The rows.
    """

    count_wanted = Signal(int)
    """The line is below this many rows."""

    sort_wanted = Signal(int, bool)
    """A head was pressed: the column, and whether the largest come first."""

    def __init__(self, rows: RowsModel) -> None:
        super().__init__(ROW)
        self.rows = rows
        self._dragged = False
        self.setModel(rows)
        self.setItemDelegate(RowDelegate(self))
        self.setSelectionBehavior(PlainTable.SelectionBehavior.SelectRows)
        self.setSelectionMode(PlainTable.SelectionMode.SingleSelection)
        self.viewport().setMouseTracking(True)
        header = self.horizontalHeader()
        header.setMinimumHeight(36)
        header.setMaximumSectionSize(WIDEST)
        header.setSectionsClickable(True)
        header.setSortIndicatorShown(True)
        header.sectionClicked.connect(self._pressed)
        self.fit()

    def show_sorted(self) -> None:
        """Show at the heads by which column rows are sorted."""
        if (order := self.rows.order) is not None:
            way = Qt.SortOrder.DescendingOrder if order.descending else Qt.SortOrder.AscendingOrder
            self.horizontalHeader().setSortIndicator(order.place, way)

    def line(self) -> QRect:
        """Return the line below the chosen rows, in the viewport; empty if it is out of sight."""
        order = self.rows.order
        if order is None or not order.n_chosen:
            return QRect()
        last = order.n_chosen - 1
        bottom = self.rowViewportPosition(last) + self.rowHeight(last)
        if not 0 <= bottom <= self.viewport().height() + 1:
            return QRect()
        return QRect(0, bottom - 1, self.viewport().width(), 2)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the line over the cells."""
        super().paintEvent(event)
        if not (line := self.line()).isEmpty():
            painter = QPainter(self.viewport())
            painter.fillRect(line, theme.colour(theme.current().accent))
            self.paint_line(painter, line)

    def paint_line(self, painter: QPainter, line: QRect) -> None:
        """Draw what belongs to the line."""

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take hold of the line, or select a row."""
        self._dragged = self._is_near(event)
        if not self._dragged:
            super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Move the line with the pointer, beyond the edges too."""
        if self._dragged and event.buttons():
            self._drag(int(event.position().y()))
            return
        near = Qt.CursorShape.SplitVCursor if self._is_near(event) else Qt.CursorShape.ArrowCursor
        self.viewport().setCursor(near)
        super().mouseMoveEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Let go of the line."""
        if not self._dragged:
            super().mouseReleaseEvent(event)
        self._dragged = False

    def _is_near(self, event: QMouseEvent) -> bool:
        line = self.line()
        where = event.position().toPoint()
        return not line.isEmpty() and line.adjusted(0, -_NEAR, 0, _NEAR).contains(where)

    def _drag(self, at: int) -> None:
        bar = self.verticalScrollBar()
        if not 0 <= at < self.viewport().height():
            bar.setValue(bar.value() + (self.rowHeight(0) if at > 0 else -self.rowHeight(0)))
        inside = min(max(at, 0), self.viewport().height() - 1)
        row = self.rowAt(inside - self.rowHeight(0) // 2)
        last = self.rows.rowCount()
        self.count_wanted.emit(max(1, last if row < 0 and at > self.rowHeight(0) else row + 1))

    def _pressed(self, section: int) -> None:
        order = self.rows.order
        if order is not None:
            again = section == order.place
            first = order.columns[section].largest_first
            self.sort_wanted.emit(section, not order.descending if again else first)
