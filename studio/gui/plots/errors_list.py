"""The list of rows about which an ensemble's members disagree most."""

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QHeaderView

from studio.gui.base.language import tr
from studio.gui.base.theme import GRID
from studio.gui.plots.errors_model import ErrorsPicture
from studio.gui.plots.errors_rows import list_headings, list_rows
from studio.gui.widgets.record_table import RecordTable
from studio.gui.widgets.records import ColumnSpec

_MEASURED = 30
"""Rows that are measured for the width of a column."""

_WIDEST = 22 * GRID
"""Width that no column exceeds: a class may have a whole sentence as its name."""


class RowList(RecordTable[tuple[str, ...]]):
    """Rows of the table, the most divided first; one can be chosen."""

    row_chosen = Signal(int)
    """The place of a row in the list; -1 for none."""

    def __init__(self) -> None:
        super().__init__((), tr("Rows the members disagree on most"))
        self.setToolTip(tr("Rows are numbered from 1 below the header of the table they are in"))
        header = self.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setStretchLastSection(True)
        header.setResizeContentsPrecision(_MEASURED)
        header.setMaximumSectionSize(_WIDEST)
        self.selectionModel().selectionChanged.connect(lambda *_: self._changed())

    def show_picture(self, picture: ErrorsPicture) -> None:
        """List the picture's rows; the choice is kept while the same row is there."""
        kept = self.picked
        columns = [
            _column(place, title, right=place == 0 or not picture.classes)
            for place, title in enumerate(list_headings(picture))
        ]
        with QSignalBlocker(self):
            self.records.show(list_rows(picture), columns)
            self.choose_number(int(kept[0][0]) if kept else 0)
        self._changed()

    @property
    def chosen(self) -> int:
        """The place of the chosen row; -1 for none."""
        rows = self.selectionModel().selectedRows()
        return rows[0].row() if rows else -1

    def choose_number(self, number: int) -> None:
        """Choose the row of the table with this number; nothing where it is not in the list."""
        numbers = [row[0] for row in self.records.records]
        if str(number) in numbers:
            self.selectRow(numbers.index(str(number)))
        else:
            self.clearSelection()

    def _changed(self) -> None:
        self.row_chosen.emit(self.chosen)


def _column(place: int, title: str, *, right: bool) -> ColumnSpec[tuple[str, ...]]:
    return ColumnSpec(title, lambda row: row[place], right=right)
