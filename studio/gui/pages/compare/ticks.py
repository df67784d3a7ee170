"""Rows with a box to tick each: a model of them, and a view that is used from the keyboard, too."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, Qt, Signal
from PySide6.QtWidgets import QHeaderView, QWidget

from studio.gui.base import theme
from studio.gui.pages.compare.plain_table import PlainTable

_NOWHERE = QModelIndex()
_ROW = 30


@dataclass(frozen=True)
class TickRow:
    """What can be ticked.

    Attributes
    ----------
    key : hashable
        Names it.
    texts : tuple of str
        A text a column, in the user's language.
    tip : str
        More about it, likewise.
    words : str
        What a search looks through, in small letters.
    entry : object
        What is told when it is ticked.
    """

    key: Hashable
    texts: tuple[str, ...]
    tip: str = ""
    words: str = ""
    entry: Any = None


class TickModel(QAbstractTableModel):
    """Rows with a tick each; those that the words find.

    Parameters
    ----------
    heads : sequence of str
        Titles of the columns, in the user's language; the first one has the boxes.
    """

    ticked = Signal(object, bool)
    """The entry of a row is wanted, or not any more."""

    def __init__(self, heads: Sequence[str]) -> None:
        super().__init__()
        self._heads = tuple(heads)
        self._offered: list[TickRow] = []
        self._words: list[str] = []
        self._chosen: frozenset[Hashable] = frozenset()
        self.shown: list[TickRow] = []

    def show_rows(self, offered: Sequence[TickRow]) -> None:
        """Offer these rows."""
        if list(offered) == self._offered:
            return
        self._offered = list(offered)
        self._filter()

    def show_chosen(self, keys: Sequence[Hashable]) -> None:
        """Tick the rows of these keys and no others."""
        chosen = frozenset(keys)
        if chosen == self._chosen:
            return
        self._chosen = chosen
        if self.shown:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self.shown) - 1, 0))

    def find(self, text: str) -> None:
        """Show only what holds all of these words."""
        self._words = text.lower().split()
        self._filter()

    def _filter(self) -> None:
        self.beginResetModel()
        self.shown = [
            row for row in self._offered if all(word in row.words for word in self._words)
        ]
        self.endResetModel()

    def rowCount(self, parent: Any = _NOWHERE) -> int:
        """Return the number of rows shown."""
        return 0 if parent.isValid() else len(self.shown)

    def columnCount(self, parent: Any = _NOWHERE) -> int:
        """Return the number of texts of a row."""
        return 0 if parent.isValid() else len(self._heads)

    def data(self, index: Any, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return a text, a tooltip or the tick."""
        row = self.shown[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return row.texts[index.column()]
        if role == Qt.ItemDataRole.ToolTipRole:
            return row.tip
        if role == Qt.ItemDataRole.CheckStateRole and index.column() == 0:
            wanted = row.key in self._chosen
            return Qt.CheckState.Checked if wanted else Qt.CheckState.Unchecked
        if role == Qt.ItemDataRole.ForegroundRole and index.column() > 0:
            return theme.colour(theme.current().muted)
        return None

    def setData(self, index: Any, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Ask for the tick; the draft decides."""
        if role != Qt.ItemDataRole.CheckStateRole:
            return False
        wanted = Qt.CheckState(value) == Qt.CheckState.Checked
        self.ticked.emit(self.shown[index.row()].entry, wanted)
        return True

    def flags(self, index: Any) -> Qt.ItemFlag:
        """Let the first column be ticked."""
        flags = super().flags(index)
        return flags | Qt.ItemFlag.ItemIsUserCheckable if index.column() == 0 else flags

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Return a column's title."""
        if orientation is Qt.Orientation.Vertical or role != Qt.ItemDataRole.DisplayRole:
            return None
        return self._heads[section]


class TickTable(PlainTable):
    """A view of such rows.

    Parameters
    ----------
    ticks : TickModel
        The rows; the last column takes the room that is left.
    widths : sequence of int
        Of the columns before it, in pixels.
    height : int
        In pixels at a scale of 1.
    """

    def __init__(
        self, ticks: TickModel, widths: Sequence[int], height: int, parent: QWidget | None = None
    ) -> None:
        super().__init__(_ROW, parent)
        self._height = height
        self.setModel(ticks)
        self.setSelectionBehavior(PlainTable.SelectionBehavior.SelectRows)
        self.setSelectionMode(PlainTable.SelectionMode.SingleSelection)
        header = self.horizontalHeader()
        header.setSectionResizeMode(len(widths), QHeaderView.ResizeMode.Stretch)
        for column, width in enumerate(widths):
            self.setColumnWidth(column, width)
        self.fit()

    def fit(self, _: Any = None) -> None:
        """Keep the height in rows."""
        super().fit()
        self.setFixedHeight(theme.pixels(self._height))
