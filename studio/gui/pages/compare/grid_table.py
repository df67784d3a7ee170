"""The grid of a study: data sets × methods, each cell with a sign for every repetition."""

from typing import Any

from PySide6.QtCore import QPoint, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QMenu, QWidget

from studio.gui.base import theme
from studio.gui.base.language import tr
from studio.gui.base.menus import passing_menu
from studio.gui.pages.compare.grid_delegate import CELL_HEIGHT, CELL_WIDTH, GridDelegate
from studio.gui.pages.compare.grid_view import (
    CellView,
    GridView,
    RowView,
    Segment,
    cell_words,
    segment_words,
)
from studio.gui.pages.compare.signs import sign_boxes, signs_area
from studio.gui.widgets.plain_table import PlainTable
from studio.gui.widgets.records import VALUE_ROLE, ColumnSpec, RecordModel

_FIRST = 208
"""Width of the column of names."""

_WIDEST = 220


def columns_of(grid: GridView) -> list[ColumnSpec[RowView]]:
    """Return the columns of a grid: names of data sets, then a column a method."""
    names: ColumnSpec[RowView] = ColumnSpec(
        tr("Data set"), lambda row: row.name, tip=_about, spoken=_about
    )
    return [names, *(_column(place, method) for place, method in enumerate(grid.methods))]


def _column(place: int, method: str) -> ColumnSpec[RowView]:
    def words(row: RowView) -> str:
        return cell_words(row, method, row.cells[place])

    return ColumnSpec(
        method,
        lambda row: row.cells[place].text,
        tip=words,
        spoken=words,
        value=lambda row: row.cells[place],
    )


def _about(row: RowView) -> str:
    return "\n".join(each for each in (row.name, row.note, row.left_out) if each)


class GridTable(PlainTable):
    """The view; Return, a double click and the context menu open runs."""

    run_wanted = Signal(int)
    """Look at the run of this id."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(CELL_HEIGHT, parent)
        self.cells: RecordModel[RowView] = RecordModel()
        self.setModel(self.cells)
        self.setItemDelegate(GridDelegate(self))
        self.setAccessibleName(tr("Runs of the comparison: data sets by methods"))
        self.setSelectionMode(PlainTable.SelectionMode.SingleSelection)
        self.horizontalHeader().setMinimumHeight(36)
        self.fit()

    def show_grid(self, grid: GridView) -> None:
        """Show another state of the study."""
        columns = self.cells.columnCount()
        self.cells.show(grid.rows, columns_of(grid))
        if columns != self.cells.columnCount():
            self.fit()

    def segment_at(self, where: QPoint) -> Segment | None:
        """Return the repetition whose sign is at a place of the view."""
        index = self.indexAt(where)
        cell: CellView | None = index.data(VALUE_ROLE)
        if cell is None:
            return None
        boxes = sign_boxes(signs_area(QRectF(self.visualRect(index))), len(cell.segments))
        for box, segment in zip(boxes, cell.segments, strict=True):
            if box.adjusted(-1, -4, 1, 4).contains(QPointF(where)):
                return segment
        return None

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Open the repetition under the pointer, else the cell's newest."""
        where = event.position().toPoint()
        segment = self.segment_at(where)
        if segment is not None and segment.run is not None:
            self.run_wanted.emit(segment.run)
        else:
            self._open(self.indexAt(where))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open the cell's newest run, or offer all of them."""
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self._open(self.currentIndex())
        elif event.key() == Qt.Key.Key_Menu and self.currentIndex().isValid():
            place = self.visualRect(self.currentIndex()).bottomLeft()
            self._offer(self.currentIndex(), self.viewport().mapToGlobal(place))
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Offer the cell's runs."""
        self._offer(self.indexAt(event.pos()), event.globalPos())

    def menu(self, index: Any) -> QMenu | None:
        """Return a menu with the runs of a cell; ``None`` where there is nothing to open."""
        cell: CellView | None = index.data(VALUE_ROLE)
        if cell is None:
            return None
        made = passing_menu(self)
        for each in cell.segments:
            words = tr("Open repetition {words}", words=segment_words(each, cell.unit))
            action = made.addAction(words)
            action.setEnabled(each.run is not None)
            if each.run is not None:
                action.triggered.connect(lambda _=False, run=each.run: self.run_wanted.emit(run))
        return made

    def _offer(self, index: Any, where: QPoint) -> None:
        made = self.menu(index)
        if made is not None:
            made.popup(where)

    def _open(self, index: Any) -> None:
        cell: CellView | None = index.data(VALUE_ROLE)
        if cell is not None and cell.newest_run is not None:
            self.run_wanted.emit(cell.newest_run)

    def fit(self, _: Any = None) -> None:
        """Share the width among the methods."""
        super().fit()
        methods = self.cells.columnCount() - 1
        self.setColumnWidth(0, theme.pixels(_FIRST))
        if methods > 0:
            share = (self.viewport().width() - theme.pixels(_FIRST)) // methods
            wide = max(theme.pixels(CELL_WIDTH), min(theme.pixels(_WIDEST), share))
            for column in range(1, methods + 1):
                self.setColumnWidth(column, wide)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Give the methods the room that there is."""
        super().resizeEvent(event)
        self.fit()
