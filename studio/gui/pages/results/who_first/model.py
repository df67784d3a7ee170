"""The rows as a model of Qt, and how a cell is painted."""

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, QRectF, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

from studio.gui.base import theme
from studio.gui.base.theme import GRID
from studio.gui.base.tips import plain_tip
from studio.gui.pages.results.who_first.rows import RowOrder
from studio.gui.widgets.plain_table import paint_ground
from studio.gui.widgets.records import VALUE_ROLE

Index = QModelIndex | QPersistentModelIndex

BAR = 72
"""Width of a bar, at a scale of 1."""

_NOWHERE = QModelIndex()
_Role = Qt.ItemDataRole
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class RowsModel(QAbstractTableModel):
    """The rows in their order; nothing is copied, and a text is made when it is painted."""

    def __init__(self) -> None:
        super().__init__()
        self.order: RowOrder | None = None

    def show(self, order: RowOrder | None) -> None:
        """Show rows, or the same in another order; ``None``: none."""
        self.beginResetModel()
        self.order = order
        self.endResetModel()

    def rowCount(self, parent: Index = _NOWHERE) -> int:
        """Return the number of shown rows."""
        return 0 if parent.isValid() or self.order is None else len(self.order.order)

    def columnCount(self, parent: Index = _NOWHERE) -> int:
        """Return the number of columns."""
        return 0 if parent.isValid() or self.order is None else len(self.order.columns)

    def data(self, index: Index, role: int = _Role.DisplayRole) -> Any:
        """Return a cell's text, its side, its bar, and whether its row is chosen."""
        order = self.order
        assert order is not None
        row, place = index.row(), index.column()
        if role == _Role.DisplayRole:
            return order.text(row, place)
        if role == _Role.TextAlignmentRole:
            return int(_RIGHT if order.columns[place].right else _LEFT)
        if role == _Role.ToolTipRole:
            return plain_tip(order.text(row, place))
        if role == VALUE_ROLE and order.columns[place].kind == "ranked":
            return order.bar(row)
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = _Role.DisplayRole
    ) -> Any:
        """Return a column's title, meaning or side."""
        if orientation is Qt.Orientation.Vertical or self.order is None:
            return None
        column = self.order.columns[section]
        by_role: dict[int, Any] = {
            _Role.DisplayRole: column.title,
            _Role.ToolTipRole: plain_tip(column.tip),
            _Role.TextAlignmentRole: int(_RIGHT if column.right else _LEFT),
        }
        return by_role.get(role)


class RowDelegate(QStyledItemDelegate):
    """Paints a cell by itself, which the style would take long for."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Any) -> None:
        """Draw the ground, the bar and the text; rows that are not chosen are muted."""
        paint_ground(painter, option)
        order: RowOrder = index.model().order
        tokens, share = theme.current(), index.data(VALUE_ROLE)
        box = option.rect.adjusted(GRID, 0, -GRID, 0)
        chosen = index.row() < order.count
        if share is not None:
            width = min(theme.pixels(BAR), box.width() // 2)
            self._bar(painter, QRectF(box.left(), box.center().y() - 3, width, 6), share, chosen)
            box = box.adjusted(width, 0, 0, 0)
        painter.setPen(theme.colour(tokens.text if chosen else tokens.muted))
        painter.setFont(option.font)
        text = option.fontMetrics.elidedText(
            index.data().replace("\n", " "), Qt.TextElideMode.ElideRight, box.width()
        )
        painter.drawText(box, index.data(_Role.TextAlignmentRole), text)

    def _bar(self, painter: QPainter, box: QRectF, share: float, chosen: bool) -> None:
        tokens = theme.current()
        painter.fillRect(box, theme.colour(tokens.raised))
        box.setWidth(max(1.0, box.width() * share))
        painter.fillRect(box, theme.colour(tokens.accent if chosen else tokens.muted))
