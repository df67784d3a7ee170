"""Table of new rows with frozen prediction columns on the left."""

from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QRect,
    QRectF,
    Qt,
    Signal,
)
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

from studio.gui.base import theme
from studio.gui.base.theme import GRID
from studio.gui.base.tooltips import make_plain_tip
from studio.gui.pages.results.who_first.rows import DisplayedColumn, RowOrder
from studio.gui.widgets.plain_table import PlainTable, compute_column_width, paint_background
from studio.gui.widgets.records import VALUE_ROLE
from studio.language import group_digits, tr

Index = QModelIndex | QPersistentModelIndex

BAR_WIDTH = 72
"""Width of a bar, at a scale of 1."""

_NO_INDEX = QModelIndex()
_Role = Qt.ItemDataRole
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class RowsModel(QAbstractTableModel):
    """The rows in order, without copies; texts are created when painted."""

    def __init__(self) -> None:
        super().__init__()
        self.order: RowOrder | None = None

    def show(self, order: RowOrder | None) -> None:
        """Set the rows and their order; ``None`` for none."""
        self.beginResetModel()
        self.order = order
        self.endResetModel()

    def rowCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() or self.order is None else len(self.order.order)

    def columnCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() or self.order is None else len(self.order.columns)

    def data(self, index: Index, role: int = _Role.DisplayRole) -> Any:
        order = self.order
        assert order is not None
        row, column = index.row(), index.column()
        if role == _Role.DisplayRole:
            return order.get_text(row, column)
        if role == _Role.TextAlignmentRole:
            return int(_RIGHT if order.columns[column].is_numeric else _LEFT)
        if role == _Role.ToolTipRole:
            return make_plain_tip(order.get_text(row, column))
        if role == VALUE_ROLE and order.columns[column].kind == "ranked":
            return order.get_bar_length(row)
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = _Role.DisplayRole
    ) -> Any:
        if orientation is Qt.Orientation.Vertical or self.order is None:
            return None
        column = self.order.columns[section]
        by_role: dict[int, Any] = {
            _Role.DisplayRole: column.title,
            _Role.ToolTipRole: make_plain_tip(column.tip),
            _Role.TextAlignmentRole: int(_RIGHT if column.is_numeric else _LEFT),
        }
        return by_role.get(role)


class RowDelegate(QStyledItemDelegate):
    """Paints cells directly, as painting by the style is slow."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Any) -> None:
        """Draw background, bar and text; rows below the cut-off line are muted."""
        paint_background(painter, option)
        order: RowOrder = index.model().order
        tokens, share = theme.current(), index.data(VALUE_ROLE)
        box = option.rect.adjusted(GRID, 0, -GRID, 0)
        is_selected = index.row() < order.count
        if share is not None:
            width = min(theme.pixels(BAR_WIDTH), box.width() // 2)
            self._paint_bar(
                painter, QRectF(box.left(), box.center().y() - 3, width, 6), share, is_selected
            )
            box = box.adjusted(width, 0, 0, 0)
        painter.setPen(theme.colour(tokens.text if is_selected else tokens.muted))
        painter.setFont(option.font)
        text = option.fontMetrics.elidedText(
            index.data().replace("\n", " "), Qt.TextElideMode.ElideRight, box.width()
        )
        painter.drawText(box, index.data(_Role.TextAlignmentRole), text)

    def _paint_bar(self, painter: QPainter, box: QRectF, share: float, is_selected: bool) -> None:
        tokens = theme.current()
        painter.fillRect(box, theme.colour(tokens.raised))
        box.setWidth(max(1.0, box.width() * share))
        painter.fillRect(box, theme.colour(tokens.accent if is_selected else tokens.muted))


ROW_HEIGHT = 26
"""Height of a row, at a scale of 1."""

HEADER_HEIGHT = 32

MAX_COLUMN_WIDTH = 240
"""Maximum width of a column; longer texts are elided, with a tooltip."""

_DRAG_MARGIN = 4
"""Distance in pixels within which the line can be dragged."""


class CutoffTable(PlainTable):
    """A view of the rows."""

    row_count_requested = Signal(int)
    """The line was moved below this many rows."""

    sort_requested = Signal(int, bool)
    """A header was clicked: the column, and whether the order is descending."""

    def __init__(self, rows: RowsModel) -> None:
        super().__init__(ROW_HEIGHT)
        self.rows = rows
        self._dragged = False
        self.setModel(rows)
        self.setItemDelegate(RowDelegate(self))
        self.setSelectionBehavior(PlainTable.SelectionBehavior.SelectRows)
        self.setSelectionMode(PlainTable.SelectionMode.SingleSelection)
        self.viewport().setMouseTracking(True)
        header = self.horizontalHeader()
        header.setMinimumHeight(HEADER_HEIGHT)
        header.setMaximumSectionSize(MAX_COLUMN_WIDTH)
        header.setSectionsClickable(True)
        header.setSortIndicatorShown(True)
        header.sectionClicked.connect(self._on_header_click)
        self.fit()

    def show_sorted(self) -> None:
        """Show the sort indicator."""
        if (order := self.rows.order) is not None:
            direction = (
                Qt.SortOrder.DescendingOrder if order.descending else Qt.SortOrder.AscendingOrder
            )
            self.horizontalHeader().setSortIndicator(order.sort_index, direction)

    def get_line_rect(self) -> QRect:
        """Return the line below the selected rows, in the viewport; empty if not visible."""
        order = self.rows.order
        if order is None or not order.n_selected:
            return QRect()
        last = order.n_selected - 1
        bottom = self.rowViewportPosition(last) + self.rowHeight(last)
        if not 0 <= bottom <= self.viewport().height() + 1:
            return QRect()
        return QRect(0, bottom - 1, self.viewport().width(), 2)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not (line := self.get_line_rect()).isEmpty():
            painter = QPainter(self.viewport())
            painter.fillRect(line, theme.colour(theme.current().accent))
            self.paint_line(painter, line)

    def paint_line(self, painter: QPainter, line: QRect) -> None:
        """Draw the line's handle."""

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Start dragging the line, or select a row."""
        self._dragged = self._is_near(event)
        if not self._dragged:
            super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Move the line with the pointer, also beyond the edges."""
        if self._dragged and event.buttons():
            self._drag(int(event.position().y()))
            return
        cursor = Qt.CursorShape.SplitVCursor if self._is_near(event) else Qt.CursorShape.ArrowCursor
        self.viewport().setCursor(cursor)
        super().mouseMoveEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if not self._dragged:
            super().mouseReleaseEvent(event)
        self._dragged = False

    def _is_near(self, event: QMouseEvent) -> bool:
        line = self.get_line_rect()
        position = event.position().toPoint()
        return not line.isEmpty() and line.adjusted(0, -_DRAG_MARGIN, 0, _DRAG_MARGIN).contains(
            position
        )

    def _drag(self, y: int) -> None:
        bar = self.verticalScrollBar()
        if not 0 <= y < self.viewport().height():
            bar.setValue(bar.value() + (self.rowHeight(0) if y > 0 else -self.rowHeight(0)))
        clipped_y = min(max(y, 0), self.viewport().height() - 1)
        row = self.rowAt(clipped_y - self.rowHeight(0) // 2)
        last = self.rows.rowCount()
        self.row_count_requested.emit(
            max(1, last if row < 0 and y > self.rowHeight(0) else row + 1)
        )

    def _on_header_click(self, section: int) -> None:
        order = self.rows.order
        if order is not None:
            is_same_column = section == order.sort_index
            first = order.columns[section].sorts_descending
            self.sort_requested.emit(section, not order.descending if is_same_column else first)


_SAMPLE_ROWS = 100
"""Number of rows sampled to determine a column's width."""

_MAX_FROZEN_SHARE = 0.6


class FrozenColumns(CutoffTable):
    """A copy of the first columns over the table, fixed on horizontal scrolling."""

    def __init__(self, table: CutoffTable) -> None:
        super().__init__(table.rows)
        self.setParent(table)
        self.setSelectionModel(table.selectionModel())
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setFocusProxy(table)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        for one, other in ((self, table), (table, self)):
            one.verticalScrollBar().valueChanged.connect(other.verticalScrollBar().setValue)

    def scale_columns(self) -> None:
        """Keep the widths, which are set to those of the table."""

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        rect = self.viewport().rect()
        painter = QPainter(self.viewport())
        edge = rect.adjusted(rect.width() - 1, 0, 0, 0)
        painter.fillRect(edge, theme.colour(theme.current().border))


class RowsTable(CutoffTable):
    """The view; ``selected_row`` is the selected row's number in the table, from 0, or -1."""

    row_picked = Signal(int)
    """A row was selected: its number in the table, from 0; -1 for none."""

    def __init__(self) -> None:
        super().__init__(RowsModel())
        self.selected_row = -1
        self.setAccessibleName(tr("New rows by their prediction"))
        self.selectionModel().currentRowChanged.connect(self._on_row_change)
        self.frozen = FrozenColumns(self)
        self.frozen.row_count_requested.connect(self.row_count_requested)
        self.frozen.sort_requested.connect(self.sort_requested)
        # Screen readers find all of its content in the main table.
        self.frozen.setAccessibleName(self.accessibleName())
        self.horizontalHeader().sectionResized.connect(
            lambda index, _, width: self.frozen.setColumnWidth(index, width)
        )
        self.frozen.horizontalHeader().sectionResized.connect(self._resize)

    def show_order(self, order: RowOrder | None, *, from_top: bool = False) -> None:
        """Set the rows, or another order; the selected row stays if it is shown.

        Args:
            from_top: Whether to select the first row, as for another ranking.
        """
        is_new = order is None or from_top or self.rows.order is not order
        selected_row = -1 if is_new else self.selected_row  # its number belongs to other rows
        self.rows.show(order)
        if order is None:
            return
        for each in (self, self.frozen):
            each.show_sorted()
        if is_new:
            self._fit_columns(order)
            self.scrollToTop()
        self._place_frozen_columns()
        self._select(order, selected_row)

    def redraw(self) -> None:
        """Redraw after the selected rows have changed."""
        for each in (self, self.frozen):
            each.viewport().update()

    def paint_line(self, painter: QPainter, line: QRect) -> None:
        """Paint the number of selected rows at the line."""
        order, tokens = self.rows.order, theme.current()
        assert order is not None
        painter.setFont(theme.font(theme.SMALL, bold=True))
        text = tr("{count} selected", count=group_digits(order.n_selected))
        width = painter.fontMetrics().horizontalAdvance(text) + 2 * GRID
        height = painter.fontMetrics().height() + 4
        tag = QRect(line.right() - width - GRID, line.top() - height, width, height)
        painter.fillRect(tag, theme.colour(tokens.accent))
        painter.setPen(theme.colour(tokens.on_accent))
        painter.drawText(tag, Qt.AlignmentFlag.AlignCenter, text)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_frozen_columns()

    def scrollTo(
        self, index: Index, hint: CutoffTable.ScrollHint = CutoffTable.ScrollHint.EnsureVisible
    ) -> None:
        """Scroll a cell into view, next to the frozen columns."""
        super().scrollTo(index, hint)
        if not index.isValid():
            return
        hidden_width = self.frozen.width() - self.visualRect(index).left()
        if (
            self.frozen.isColumnHidden(index.column())
            and self.frozen.isVisible()
            and hidden_width > 0
        ):
            bar = self.horizontalScrollBar()
            bar.setValue(bar.value() - hidden_width)

    def _place_frozen_columns(self) -> None:
        """Place as many frozen columns over the table as fit."""
        order = self.rows.order
        if order is None:
            self.frozen.hide()
            return
        width, max_width, fits = 0, int(_MAX_FROZEN_SHARE * self.viewport().width()), True
        for index, column in enumerate(order.columns):
            column_width = self.columnWidth(index)
            fits = fits and column.kind != "own" and width + column_width <= max_width
            width += column_width if fits else 0
            self.frozen.setColumnHidden(index, not fits)
        edge = self.frameWidth()
        height = self.viewport().height() + self.horizontalHeader().height()
        self.frozen.setGeometry(edge, edge, width, height)
        self.frozen.setVisible(width > 0)

    def _resize(self, column: int, _: int, width: int) -> None:
        if width:  # a hidden column has none
            self.setColumnWidth(column, width)
            self._place_frozen_columns()

    def _on_row_change(self, index: QModelIndex, _before: QModelIndex) -> None:
        order = self.rows.order
        self.selected_row = int(order.order[index.row()]) if index.isValid() and order else -1
        self.row_picked.emit(self.selected_row)

    def _select(self, order: RowOrder, table_row: int) -> None:
        if not len(order.order):
            return
        indices = (order.order == table_row).nonzero()[0]
        index = self.rows.index(int(indices[0]) if len(indices) else 0, 0)
        flags = QItemSelectionModel.SelectionFlag
        self.selectionModel().setCurrentIndex(index, flags.ClearAndSelect | flags.Rows)

    def _fit_columns(self, order: RowOrder) -> None:
        """Set each column's width from its header and the longest text of the first rows."""
        for index, column in enumerate(order.columns):
            width = self._compute_width(order, column, index)
            self.setColumnWidth(index, min(theme.pixels(MAX_COLUMN_WIDTH), width))

    @staticmethod
    def _compute_width(order: RowOrder, column: DisplayedColumn, index: int) -> int:
        rows = range(min(_SAMPLE_ROWS, len(order.order)))
        sample = max((order.get_text(row, index) for row in rows), key=len, default="")
        bar_width = theme.pixels(BAR_WIDTH) if column.kind == "ranked" else 0
        return max(
            compute_column_width(column.title) + GRID, compute_column_width("", sample) + bar_width
        )
