"""The table of new rows: what is predicted stays in sight at the left of the rows' own columns."""

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QRect, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent

from studio.gui.base import theme
from studio.gui.base.theme import GRID
from studio.gui.pages.results.who_first.lined_table import WIDEST, LinedTable
from studio.gui.pages.results.who_first.model import BAR, Index, RowsModel
from studio.gui.pages.results.who_first.rows import RowOrder, ShownColumn
from studio.gui.widgets.plain_table import width_for
from studio.language import grouped, tr

_SAMPLE = 100
"""Rows by whose texts a column gets its width."""

_SHARE = 0.6
"""Most of the width that is taken by what stays in sight."""


class FrozenColumns(LinedTable):
    """The first columns once more, over the table, so that they stay when it scrolls sideways."""

    def __init__(self, table: LinedTable) -> None:
        super().__init__(table.rows)
        self.setParent(table)
        self.setSelectionModel(table.selectionModel())
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setFocusProxy(table)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        for one, other in ((self, table), (table, self)):
            one.verticalScrollBar().valueChanged.connect(other.verticalScrollBar().setValue)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw where the table begins that scrolls."""
        super().paintEvent(event)
        inside = self.viewport().rect()
        painter = QPainter(self.viewport())
        edge = inside.adjusted(inside.width() - 1, 0, 0, 0)
        painter.fillRect(edge, theme.colour(theme.current().border))


class RowsTable(LinedTable):
    """The view.

    Attributes:
        picked: The selected row's number in the table, from 0; -1 for none.
    """

    row_picked = Signal(int)
    """A row was selected: its number in the table, from 0; -1 for none."""

    def __init__(self) -> None:
        super().__init__(RowsModel())
        self.picked = -1
        self.setAccessibleName(tr("New rows by their prediction"))
        self.selectionModel().currentRowChanged.connect(self._picked)
        self.frozen = FrozenColumns(self)
        self.frozen.count_wanted.connect(self.count_wanted)
        self.frozen.sort_wanted.connect(self.sort_wanted)
        # It shows nothing that this table does not have itself.
        self.frozen.setAccessibleName(self.accessibleName())
        self.horizontalHeader().sectionResized.connect(
            lambda place, _, width: self.frozen.setColumnWidth(place, width)
        )
        self.frozen.horizontalHeader().sectionResized.connect(self._resize)

    def show_order(self, order: RowOrder | None) -> None:
        """Show rows, or the same in another order; the selected row stays so if it is shown."""
        fresh = order is None or self.rows.order is not order
        at = -1 if fresh else self.picked  # of other rows: its number means nothing here
        self.rows.show(order)
        if order is None:
            return
        for each in (self, self.frozen):
            each.show_sorted()
        if fresh:
            self._widen(order)
            self.scrollToTop()
        self._place()
        self._select(order, at)

    def redraw(self) -> None:
        """Draw again: other rows are chosen."""
        for each in (self, self.frozen):
            each.viewport().update()

    def paint_line(self, painter: QPainter, line: QRect) -> None:
        """Say at the line how many rows are chosen."""
        order, tokens = self.rows.order, theme.current()
        assert order is not None
        painter.setFont(theme.font(theme.SMALL, bold=True))
        words = tr("{count} selected", count=grouped(order.n_chosen))
        room = painter.fontMetrics().horizontalAdvance(words) + 2 * GRID
        height = painter.fontMetrics().height() + 4
        tag = QRect(line.right() - room - GRID, line.top() - height, room, height)
        painter.fillRect(tag, theme.colour(tokens.accent))
        painter.setPen(theme.colour(tokens.on_accent))
        painter.drawText(tag, Qt.AlignmentFlag.AlignCenter, words)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Let what stays in sight follow."""
        super().resizeEvent(event)
        self._place()

    def scrollTo(
        self, index: Index, hint: LinedTable.ScrollHint = LinedTable.ScrollHint.EnsureVisible
    ) -> None:
        """Scroll until a cell is in sight, beside what stays there."""
        super().scrollTo(index, hint)
        if not index.isValid():
            return
        hidden = self.frozen.width() - self.visualRect(index).left()
        if self.frozen.isColumnHidden(index.column()) and self.frozen.isVisible() and hidden > 0:
            bar = self.horizontalScrollBar()
            bar.setValue(bar.value() - hidden)

    def _place(self) -> None:
        """Lay the columns that stay over the table: as many of what is predicted as have room."""
        order = self.rows.order
        if order is None:
            self.frozen.hide()
            return
        width, most, stays = 0, int(_SHARE * self.viewport().width()), True
        for place, column in enumerate(order.columns):
            wanted = self.columnWidth(place)
            stays = stays and column.kind != "own" and width + wanted <= most
            width += wanted if stays else 0
            self.frozen.setColumnHidden(place, not stays)
        edge = self.frameWidth()
        height = self.viewport().height() + self.horizontalHeader().height()
        self.frozen.setGeometry(edge, edge, width, height)
        self.frozen.setVisible(width > 0)

    def _resize(self, place: int, _: int, width: int) -> None:
        if width:  # a column that is hidden has none
            self.setColumnWidth(place, width)
            self._place()

    def _picked(self, index: QModelIndex, _before: QModelIndex) -> None:
        order = self.rows.order
        self.picked = int(order.order[index.row()]) if index.isValid() and order else -1
        self.row_picked.emit(self.picked)

    def _select(self, order: RowOrder, at: int) -> None:
        """Select a row of the table again, or the first."""
        if not len(order.order):
            return
        places = (order.order == at).nonzero()[0]
        index = self.rows.index(int(places[0]) if len(places) else 0, 0)
        flags = QItemSelectionModel.SelectionFlag
        self.selectionModel().setCurrentIndex(index, flags.ClearAndSelect | flags.Rows)

    def _widen(self, order: RowOrder) -> None:
        """Give each column the width of its head and of its longest text among the first rows."""
        for place, column in enumerate(order.columns):
            self.setColumnWidth(place, min(theme.pixels(WIDEST), self._width(order, column, place)))

    @staticmethod
    def _width(order: RowOrder, column: ShownColumn, place: int) -> int:
        shown = range(min(_SAMPLE, len(order.order)))
        sample = max((order.text(row, place) for row in shown), key=len, default="")
        more = theme.pixels(BAR) if column.kind == "ranked" else 0
        return max(width_for(column.title) + GRID, width_for("", sample) + more)
