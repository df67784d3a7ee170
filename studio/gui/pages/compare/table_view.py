"""Shows a table of results: the best bold, the significantly worse underlined, notes smaller."""

import re
from typing import Any

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QKeyEvent, QKeySequence, QPainter
from PySide6.QtWidgets import (
    QApplication,
    QStyledItemDelegate,
    QStyleOptionViewItem,
)

from studio.compare.tables.table import ResultTable, TableCell
from studio.gui.base import theme
from studio.gui.base.theme import GRID
from studio.gui.widgets.plain_table import PlainTable, paint_ground
from studio.gui.widgets.records import VALUE_ROLE, ColumnSpec, RecordModel
from studio.language import figures, tr, translate

Row = tuple[TableCell, ...]

_ROW = 32
_WIDEST = 320
_MAX_ROWS = 14
"""Rows that a table shows before it scrolls by itself."""

_NUMBER = re.compile(r"[<+−-]?\s*\d")


def columns_of(table: ResultTable) -> list[ColumnSpec[Row]]:
    """Return the columns of a table."""
    return [_column(place, translate(head), table) for place, head in enumerate(table.heads)]


def _column(place: int, head: str, table: ResultTable) -> ColumnSpec[Row]:
    named = place == 0 or not any(_NUMBER.match(row[place].text) for row in table.rows)

    def words(row: Row) -> str:
        cell = row[place]
        plain = _plain(cell)
        found = plain if place == 0 else f"{row[0].text} · {head}: {plain}"
        if cell.best:
            found = tr("{entry} – the best", entry=found)
        if cell.worse:
            found = tr("{entry} – significantly worse than the best", entry=found)
        return found

    return ColumnSpec(
        head,
        lambda row: figures(row[place].text),
        tip=words,
        spoken=words,
        value=lambda row: row[place],
        right=not named,
    )


class ResultsDelegate(QStyledItemDelegate):
    """Draws an entry, followed by its note in smaller type."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Any) -> QSize:
        """Ask for room for both."""
        cell: TableCell = index.data(VALUE_ROLE)
        width = QFontMetrics(_font(cell)).horizontalAdvance(figures(cell.text)) + 3 * GRID
        if cell.note:
            small = QFontMetrics(theme.font(theme.SMALL))
            width += small.horizontalAdvance(figures(cell.note)) + GRID
        return QSize(width, theme.pixels(_ROW))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Any) -> None:
        """Draw the ground of a selected entry, then the two texts."""
        cell: TableCell = index.data(VALUE_ROLE)
        paint_ground(painter, option)
        tokens, box = theme.current(), option.rect.adjusted(GRID, 0, -GRID, 0)
        painter.save()
        centre = Qt.AlignmentFlag.AlignVCenter
        if not index.data(Qt.ItemDataRole.TextAlignmentRole) & Qt.AlignmentFlag.AlignRight.value:
            painter.setFont(_font(cell))
            painter.setPen(theme.colour(tokens.text))
            shown = painter.fontMetrics().elidedText(
                _plain(cell), Qt.TextElideMode.ElideMiddle, box.width()
            )
            painter.drawText(box, centre | Qt.AlignmentFlag.AlignLeft, shown)
            painter.restore()
            return
        if cell.note:
            note = figures(cell.note)
            painter.setFont(theme.font(theme.SMALL))
            painter.setPen(theme.colour(tokens.muted))
            painter.drawText(box, centre | Qt.AlignmentFlag.AlignRight, note)
            taken = painter.fontMetrics().horizontalAdvance(note) + GRID
            box = QRect(box.left(), box.top(), box.width() - taken, box.height())
        painter.setFont(_font(cell))
        painter.setPen(theme.colour(tokens.text))
        painter.drawText(box, centre | Qt.AlignmentFlag.AlignRight, figures(cell.text))
        painter.restore()


def _plain(cell: TableCell) -> str:
    return f"{figures(cell.text)} {figures(cell.note)}".strip()


def _font(cell: TableCell) -> QFont:
    made = theme.font(bold=cell.best)
    made.setUnderline(cell.worse)
    return made


class ResultsTable(PlainTable):
    """A view of such a table, as tall as its rows up to a limit."""

    def __init__(self) -> None:
        super().__init__(_ROW)
        self.results: RecordModel[Row] = RecordModel()
        self.setModel(self.results)
        self.setItemDelegate(ResultsDelegate(self))
        self.setAlternatingRowColors(True)
        self.horizontalHeader().setMinimumHeight(36)

    def show_table(self, table: ResultTable) -> None:
        """Show a table."""
        self.setAccessibleName(translate(table.title))
        self.results.show(table.rows, columns_of(table))
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
            cell: TableCell = index.data(VALUE_ROLE)
            rows.setdefault(index.row(), []).append((index.column(), _plain(cell)))
        lines = ("\t".join(text for _, text in sorted(cells)) for _, cells in sorted(rows.items()))
        return "\n".join(lines)

    def fit(self, _: Any = None) -> None:
        """Be as wide as heads and entries and as tall as the rows, the last two up to a limit."""
        super().fit()
        self.resizeColumnsToContents()
        for column in range(self.results.columnCount()):
            widest = max(theme.pixels(_WIDEST), self.horizontalHeader().sectionSizeHint(column))
            self.setColumnWidth(column, min(widest, self.columnWidth(column)))
        self.show_rows(_MAX_ROWS)
