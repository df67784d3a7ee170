"""A plain table of records, chosen row by row; one column may be bars."""

from collections.abc import Callable, Hashable, Sequence
from typing import Any, Generic

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QResizeEvent
from PySide6.QtWidgets import QHeaderView, QStyledItemDelegate, QStyleOptionViewItem

from studio.gui.base import theme
from studio.gui.base.theme import GRID
from studio.gui.widgets.plain_table import PlainTable, give_rest, width_for
from studio.gui.widgets.records import VALUE_ROLE, ColumnSpec, R, RecordModel

_BAR = 3.0
"""Height of the bar in a cell."""


_LEAST = 96
"""Width of a last column at a scale of 1; then a table scrolls sideways."""


class BarDelegate(QStyledItemDelegate):
    """Draws a cell as usual, and its value as a thin bar at its foot."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Any) -> None:
        """Draw the text and the bar."""
        super().paint(painter, option, index)
        share = index.data(VALUE_ROLE)
        if share is None:
            return
        tokens = theme.current()
        foot = QRectF(option.rect).adjusted(GRID // 2, 0, -GRID // 2, -2)
        bar = QRectF(foot.left(), foot.bottom() - _BAR, foot.width(), _BAR)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour(tokens.raised))
        painter.drawRoundedRect(bar, theme.MARK, theme.MARK)
        bar.setWidth(max(_BAR, bar.width() * float(share)))
        painter.setBrush(theme.colour(tokens.accent))
        painter.drawRoundedRect(bar, theme.MARK, theme.MARK)
        painter.restore()


class RecordTable(PlainTable, Generic[R]):
    """A view of a :class:`RecordModel` of its own.

    Args:
        columns: What is shown of each record.
        name: What the table is called, for screen readers.
        lines: Lines of text in a row.
        identify: Record to what it is known by, see :class:`RecordModel`.
    """

    def __init__(
        self,
        columns: Sequence[ColumnSpec[R]],
        name: str,
        lines: int = 1,
        identify: Callable[[R], Hashable] | None = None,
    ) -> None:
        super().__init__()
        self.records: RecordModel[R] = RecordModel(columns, identify)
        self.setModel(self.records)
        self.setAccessibleName(name)
        self.setSelectionBehavior(PlainTable.SelectionBehavior.SelectRows)
        self.setSelectionMode(PlainTable.SelectionMode.SingleSelection)
        self.setWordWrap(lines > 1)
        self.verticalHeader().setDefaultSectionSize(14 + 16 * lines)
        header = self.horizontalHeader()
        header.setMinimumHeight(36)
        self._bars = BarDelegate(self)
        for section, column in enumerate(columns):
            if column.wide:
                header.setSectionResizeMode(section, QHeaderView.ResizeMode.Stretch)
            if column.bars:
                self.setItemDelegateForColumn(section, self._bars)
        self._last = next((i for i, column in enumerate(columns) if column.last), None)
        if self._last is not None:
            self.records.modelReset.connect(self._fit)
            header.sectionResized.connect(self._fit)

    @property
    def picked(self) -> list[R]:
        """The selected records, from top to bottom."""
        rows = sorted(each.row() for each in self.selectionModel().selectedRows())
        return [self.records.records[row] for row in rows]

    def take_widths(self, samples: Sequence[str]) -> None:
        """Make the first columns as wide as their heads and these samples."""
        for section, sample in enumerate(samples):
            self.setColumnWidth(section, width_for(self.records.columns[section].title, sample))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Divide the width again."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self, *_: object) -> None:
        """Give the last column what is left, or what a word needs."""
        if self._last is not None:
            give_rest(self, self._last, theme.pixels(_LEAST))
