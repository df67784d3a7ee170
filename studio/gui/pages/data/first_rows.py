"""The first rows of the file as they are written: a press on one says that it holds the names."""

from dataclasses import dataclass

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent
from PySide6.QtWidgets import QHeaderView

from studio.gui.base import theme
from studio.gui.widgets.plain_table import PlainTable
from studio.gui.widgets.records import ColumnSpec, RecordModel
from studio.helper.preview import Preview
from studio.language import tr

_ROW_HEIGHT = 24
_HEIGHT = 7 * _ROW_HEIGHT
_BETWEEN = "  ·  "


@dataclass(frozen=True)
class FileRow:
    """A row of the file.

    Attributes:
        cells: As written.
        place: Above", "names" or "below". Where it is seen from the row with the names; "below" if
            there is none.
    """

    cells: tuple[str, ...]
    place: str


def rows_of(preview: Preview | None) -> list[FileRow]:
    """Return the first rows of a preview's file; none where a file names its columns itself."""
    if preview is None:
        return []
    names = preview.header_row or 0
    places = {True: "above", False: "below"}
    return [
        FileRow(cells, "names" if number == names else places[number < names])
        for number, cells in enumerate(preview.opening, 1)
    ]


def _text(row: FileRow) -> str:
    return _BETWEEN.join(cell.strip().replace("\n", " ⏎ ") or "–" for cell in row.cells)


def _colour(row: FileRow) -> QColor | None:
    return theme.colour(theme.current().muted, 0.75) if row.place == "above" else None


def _ground(row: FileRow) -> QColor | None:
    return theme.colour(theme.current().accent_soft) if row.place == "names" else None


def _spoken(row: FileRow) -> str:
    text = _text(row)
    if row.place == "above":
        return tr("Left out: {text}", text=text)
    return tr("Names of the columns: {text}", text=text) if row.place == "names" else text


class FirstRows(PlainTable):
    """The rows with their numbers; a press, or Return, chooses one for the names."""

    row_chosen = Signal(int)

    def __init__(self) -> None:
        super().__init__(_ROW_HEIGHT, height=_HEIGHT)
        column = ColumnSpec("", _text, colour=_colour, ground=_ground, spoken=_spoken)
        self.rows: RecordModel[FileRow] = RecordModel([column], numbered=True)
        self.setModel(self.rows)
        self.setSelectionMode(PlainTable.SelectionMode.SingleSelection)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.horizontalHeader().hide()
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.verticalHeader().show()
        self.verticalHeader().setSectionsClickable(True)
        self.verticalHeader().sectionClicked.connect(self._choose)
        self.clicked.connect(self._choose_at)
        self.fit()

    def show_preview(self, preview: Preview | None) -> None:
        """Show the rows of another file, or others of this one."""
        self.rows.show(rows_of(preview))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Choose the current row by Return."""
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter} and self.currentIndex().isValid():
            self._choose(self.currentIndex().row())
        else:
            super().keyPressEvent(event)

    def _choose_at(self, index: QModelIndex) -> None:
        self._choose(index.row())

    def _choose(self, row: int) -> None:
        self.row_chosen.emit(row + 1)
