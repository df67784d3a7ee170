"""Shows a table of results: the best bold, the significantly worse underlined, notes smaller."""

import re
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QKeyEvent, QKeySequence, QPainter
from PySide6.QtWidgets import (
    QApplication,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from studio.compare.tables.table import Cell, Table
from studio.gui.base import theme
from studio.gui.base.language import said, tr
from studio.gui.base.theme import GRID
from studio.gui.pages.compare.cell_ground import paint_ground
from studio.gui.pages.compare.plain_table import PlainTable

CELL_ROLE = int(Qt.ItemDataRole.UserRole)

_NOWHERE = QModelIndex()
_ROW = 32
_WIDEST = 320
_MOST_ROWS = 14
"""Rows that a table shows before it scrolls by itself."""

_NUMBER = re.compile(r"[<+−-]?\s*\d")

_EMPTY = Table("", "", "", (), ())


class ResultsModel(QAbstractTableModel):
    """The entries of a table."""

    def __init__(self) -> None:
        super().__init__()
        self.table = _EMPTY

    def show_table(self, table: Table) -> bool:
        """Take another table; return whether its shape or heads are others."""
        if table == self.table:
            return False
        same = table.heads == self.table.heads and len(table.rows) == len(self.table.rows)
        if not same:
            self.beginResetModel()
        self.table = table
        if not same:
            self.endResetModel()
        elif table.rows:
            last = self.index(len(table.rows) - 1, len(table.heads) - 1)
            self.dataChanged.emit(self.index(0, 0), last)
        return not same

    def rowCount(self, parent: Any = _NOWHERE) -> int:
        """Return the number of rows."""
        return 0 if parent.isValid() else len(self.table.rows)

    def columnCount(self, parent: Any = _NOWHERE) -> int:
        """Return the number of columns."""
        return 0 if parent.isValid() else len(self.table.heads)

    def data(self, index: Any, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return an entry, or what it is in words."""
        cell = self.table.rows[index.row()][index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return cell.text
        if role == CELL_ROLE:
            return cell
        if role in {Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole}:
            return self._words(index.row(), index.column(), cell)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self.side(index.column())
        return None

    def side(self, column: int) -> int:
        """Return where a column's entries stand: numbers at the right, names at the left."""
        texts = (row[column].text for row in self.table.rows)
        named = column == 0 or not any(_NUMBER.match(text) for text in texts)
        side = Qt.AlignmentFlag.AlignLeft if named else Qt.AlignmentFlag.AlignRight
        return int(side | Qt.AlignmentFlag.AlignVCenter)

    def _words(self, row: int, column: int, cell: Cell) -> str:
        first = self.table.rows[row][0].text
        words = cell.plain if column == 0 else f"{first} · {self._head(column)}: {cell.plain}"
        if cell.best:
            words = tr("{entry} – the best", entry=words)
        if cell.worse:
            words = tr("{entry} – significantly worse than the best", entry=words)
        return words

    def _head(self, column: int) -> str:
        return said(self.table.heads[column])

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Return a column's head."""
        if orientation is Qt.Orientation.Vertical:
            return None
        if role in {Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole}:
            return self._head(section)
        return self.side(section) if role == Qt.ItemDataRole.TextAlignmentRole else None


class ResultsDelegate(QStyledItemDelegate):
    """Draws an entry, and behind it its note in smaller type."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Any) -> QSize:
        """Ask for room for both."""
        cell: Cell = index.data(CELL_ROLE)
        width = QFontMetrics(_font(cell)).horizontalAdvance(cell.text) + 3 * GRID
        if cell.note:
            width += QFontMetrics(theme.font(theme.SMALL)).horizontalAdvance(cell.note) + GRID
        return QSize(width, theme.pixels(_ROW))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Any) -> None:
        """Draw the ground of a selected entry, then the two texts."""
        cell: Cell = index.data(CELL_ROLE)
        paint_ground(painter, option)
        tokens, box = theme.current(), option.rect.adjusted(GRID, 0, -GRID, 0)
        painter.save()
        centre = Qt.AlignmentFlag.AlignVCenter
        if not index.data(Qt.ItemDataRole.TextAlignmentRole) & Qt.AlignmentFlag.AlignRight.value:
            painter.setFont(_font(cell))
            painter.setPen(theme.colour(tokens.text))
            shown = painter.fontMetrics().elidedText(
                cell.plain, Qt.TextElideMode.ElideMiddle, box.width()
            )
            painter.drawText(box, centre | Qt.AlignmentFlag.AlignLeft, shown)
            painter.restore()
            return
        if cell.note:
            painter.setFont(theme.font(theme.SMALL))
            painter.setPen(theme.colour(tokens.muted))
            painter.drawText(box, centre | Qt.AlignmentFlag.AlignRight, cell.note)
            taken = painter.fontMetrics().horizontalAdvance(cell.note) + GRID
            box = QRect(box.left(), box.top(), box.width() - taken, box.height())
        painter.setFont(_font(cell))
        painter.setPen(theme.colour(tokens.text))
        painter.drawText(box, centre | Qt.AlignmentFlag.AlignRight, cell.text)
        painter.restore()


def _font(cell: Cell) -> QFont:
    made = theme.font(bold=cell.best)
    made.setUnderline(cell.worse)
    return made


class ResultsTable(PlainTable):
    """A view of such a table, as tall as its rows up to a limit."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(_ROW, parent)
        self.results = ResultsModel()
        self.setModel(self.results)
        self.setItemDelegate(ResultsDelegate(self))
        self.setAlternatingRowColors(True)
        self.horizontalHeader().setMinimumHeight(36)

    def show_table(self, table: Table) -> None:
        """Show a table."""
        self.setAccessibleName(said(table.title))
        self.results.show_table(table)
        self.fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Copy what is selected."""
        if event.matches(QKeySequence.StandardKey.Copy):
            QApplication.clipboard().setText(self.selected_text())
        else:
            super().keyPressEvent(event)

    def selected_text(self) -> str:
        """Return the selected entries, columns apart by tabs."""
        rows: dict[int, list[tuple[int, str]]] = {}
        for index in self.selectedIndexes():
            cell: Cell = index.data(CELL_ROLE)
            rows.setdefault(index.row(), []).append((index.column(), cell.plain))
        lines = ("\t".join(text for _, text in sorted(cells)) for _, cells in sorted(rows.items()))
        return "\n".join(lines)

    def fit(self, _: Any = None) -> None:
        """Be as wide as the entries and as tall as the rows, both up to a limit."""
        super().fit()
        self.resizeColumnsToContents()
        for column in range(self.results.columnCount()):
            self.setColumnWidth(column, min(theme.pixels(_WIDEST), self.columnWidth(column)))
        shown = min(_MOST_ROWS, self.results.rowCount())
        bar = self.horizontalScrollBar().sizeHint().height()
        head = max(36, self.horizontalHeader().sizeHint().height())
        self.setFixedHeight(head + shown * theme.pixels(_ROW) + bar + 2)
