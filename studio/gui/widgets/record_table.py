"""A plain table of records: columns of text, numbers at the right, one column may be bars."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QRectF, Qt
from PySide6.QtGui import QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from studio.gui.base import theme
from studio.gui.widgets.column_rest import give_rest

_NOWHERE = QModelIndex()
BAR_ROLE = int(Qt.ItemDataRole.UserRole)


@dataclass(frozen=True)
class Head:
    """A column: title, tooltip, whether numbers stand at the right, whether it takes the room.

    One that is ``whole`` takes the room that is left too, but is as wide as its cells need: where
    that is more, the table scrolls sideways.
    """

    title: str
    tip: str = ""
    right: bool = False
    wide: bool = False
    bars: bool = False
    whole: bool = False


@dataclass(frozen=True)
class Cell:
    """What a cell says; ``share`` in [0, 1] is drawn as a bar where the column has bars."""

    text: str
    share: float = 0.0
    tip: str = ""


class RecordModel(QAbstractTableModel):
    """Rows of cells."""

    def __init__(self, heads: Sequence[Head]) -> None:
        super().__init__()
        self.heads = tuple(heads)
        self.rows: list[tuple[Cell, ...]] = []

    def show_rows(self, rows: list[tuple[Cell, ...]]) -> None:
        """Show other rows; only the cells that changed are drawn anew."""
        if rows == self.rows:
            return
        if len(rows) != len(self.rows):
            self.beginResetModel()
            self.rows = rows
            self.endResetModel()
            return
        changed = [
            i for i, (old, new) in enumerate(zip(self.rows, rows, strict=True)) if old != new
        ]
        self.rows = rows
        for row in changed:
            self.dataChanged.emit(self.index(row, 0), self.index(row, len(self.heads) - 1))

    def rowCount(self, parent: Any = _NOWHERE) -> int:
        """Return the number of rows."""
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Any = _NOWHERE) -> int:
        """Return the number of columns."""
        return 0 if parent.isValid() else len(self.heads)

    def data(self, index: Any, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return a cell's text, tooltip, side or bar."""
        cell = self.rows[index.row()][index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return cell.text
        if role == Qt.ItemDataRole.ToolTipRole:
            return cell.tip or cell.text
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _side(self.heads[index.column()])
        if role == BAR_ROLE:
            return cell.share
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Return a column's title, tooltip or side."""
        if orientation is Qt.Orientation.Vertical:
            return None
        head = self.heads[section]
        if role == Qt.ItemDataRole.DisplayRole:
            return head.title
        if role == Qt.ItemDataRole.ToolTipRole:
            return head.tip or head.title
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _side(head)
        return None


def _side(head: Head) -> int:
    side = Qt.AlignmentFlag.AlignRight if head.right else Qt.AlignmentFlag.AlignLeft
    return int(side | Qt.AlignmentFlag.AlignVCenter)


class BarDelegate(QStyledItemDelegate):
    """Draws a share as a bar with its text."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Any) -> None:
        """Draw the bar and the text."""
        tokens = theme.current()
        box = QRectF(option.rect).adjusted(8, 0, -8, 0)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        bar = QRectF(box.left(), box.center().y() - 3, max(0.0, box.width() - 52), 6)
        painter.setBrush(theme.colour(tokens.raised))
        painter.drawRoundedRect(bar, 3, 3)
        bar.setWidth(max(3.0, bar.width() * float(index.data(BAR_ROLE))))
        painter.setBrush(theme.colour(tokens.accent))
        painter.drawRoundedRect(bar, 3, 3)
        painter.setPen(theme.colour(tokens.text))
        painter.drawText(
            box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, index.data()
        )
        painter.restore()


class RecordTable(QTableView):
    """A view of such rows."""

    def __init__(
        self, heads: Sequence[Head], name: str, lines: int = 1, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.records = RecordModel(heads)
        self.setModel(self.records)
        self.setAccessibleName(name)
        self.setShowGrid(False)
        self.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QTableView.SelectionMode.SingleSelection)
        self.setVerticalScrollMode(QTableView.ScrollMode.ScrollPerPixel)
        self.setTabKeyNavigation(False)
        self.setWordWrap(lines > 1)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(14 + 16 * lines)
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setMinimumHeight(36)
        self._bars = BarDelegate(self)
        for section, head in enumerate(heads):
            if head.wide:
                header.setSectionResizeMode(section, QHeaderView.ResizeMode.Stretch)
            if head.bars:
                self.setItemDelegateForColumn(section, self._bars)
        self._whole = next((i for i, head in enumerate(heads) if head.whole), None)
        if self._whole is not None:
            self.setHorizontalScrollMode(QTableView.ScrollMode.ScrollPerPixel)
            for changed in (self.records.modelReset, self.records.dataChanged):
                changed.connect(self._fit)
            header.sectionResized.connect(self._fit)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Divide the width anew."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self, *_: object) -> None:
        """Give the column that is whole what is left, or what its cells need."""
        if self._whole is None:
            return
        head = self.horizontalHeader().sectionSizeHint(self._whole)
        give_rest(self, self._whole, max(self.sizeHintForColumn(self._whole), head))
