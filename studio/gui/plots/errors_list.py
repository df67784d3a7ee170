"""The list of rows about which an ensemble's members disagree most."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableWidget, QTableWidgetItem

from studio.gui.base.language import tr
from studio.gui.base.theme import GRID
from studio.gui.plots.errors_model import ErrorsPicture
from studio.gui.plots.errors_rows import list_headings, list_rows

_NUMBERS = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter

_MEASURED = 30
"""Rows that are measured for the width of a column."""

_WIDEST = 22 * GRID
"""Width that no column exceeds: a class may have a whole sentence as its name."""


class RowList(QTableWidget):
    """Rows of the table, the most divided first; one can be chosen."""

    row_chosen = Signal(int)
    """The place of a row in the list; -1 for none."""

    def __init__(self) -> None:
        super().__init__(0, 5)
        self._shown: tuple[tuple[str, ...], ...] = ()
        self.setAccessibleName(tr("Rows the members disagree on most"))
        self.setToolTip(tr("Rows are numbered from 1 below the header of the table they are in"))
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setTabKeyNavigation(False)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.verticalHeader().hide()
        header = self.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setStretchLastSection(True)
        header.setResizeContentsPrecision(_MEASURED)
        header.setHighlightSections(False)
        header.setMaximumSectionSize(_WIDEST)
        self.itemSelectionChanged.connect(self._changed)

    def show_picture(self, picture: ErrorsPicture) -> None:
        """List the picture's rows; the choice is kept while the same row is there."""
        headings, cells = list_headings(picture), list_rows(picture)
        shown = (headings, *cells)
        if shown == self._shown:
            return
        item = self.item(self.currentRow(), 0) if self.chosen >= 0 else None
        kept = None if item is None else item.text()
        self._shown = shown
        self.blockSignals(True)
        self.setHorizontalHeaderLabels(list(headings))
        self.setRowCount(len(cells))
        self.clearSelection()
        for row, line in enumerate(cells):
            for column, text in enumerate(line):
                item = QTableWidgetItem(text)
                item.setToolTip(text)
                if column == 0 or not picture.classes:
                    item.setTextAlignment(_NUMBERS)
                self.setItem(row, column, item)
            if line[0] == kept:
                self.selectRow(row)
        self.blockSignals(False)
        self._changed()

    @property
    def chosen(self) -> int:
        """The place of the chosen row; -1 for none."""
        rows = self.selectionModel().selectedRows()
        return rows[0].row() if rows else -1

    def choose_number(self, number: int) -> None:
        """Choose the row of the table with this number; nothing where it is not in the list."""
        for row in range(self.rowCount()):
            item = self.item(row, 0)
            if item is not None and item.text() == str(number):
                self.selectRow(row)
                return
        self.clearSelection()

    def _changed(self) -> None:
        self.row_chosen.emit(self.chosen)
