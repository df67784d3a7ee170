"""A plain table of records, chosen row by row; one column may be bars."""

from collections.abc import Callable, Hashable, Sequence
from typing import Any, Generic

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QResizeEvent
from PySide6.QtWidgets import QHeaderView, QStyledItemDelegate, QStyleOptionViewItem

from studio.gui.base import theme
from studio.gui.widgets.plain_table import PlainTable
from studio.gui.widgets.records import VALUE_ROLE, ColumnSpec, R, RecordModel
from studio.gui.widgets.widths import give_rest, width_for


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
        painter.drawRoundedRect(bar, theme.MARK, theme.MARK)
        bar.setWidth(max(3.0, bar.width() * float(index.data(VALUE_ROLE))))
        painter.setBrush(theme.colour(tokens.accent))
        painter.drawRoundedRect(bar, theme.MARK, theme.MARK)
        painter.setPen(theme.colour(tokens.text))
        painter.drawText(
            box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, index.data()
        )
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
        self._whole = next((i for i, column in enumerate(columns) if column.whole), None)
        if self._whole is not None:
            for changed in (self.records.modelReset, self.records.dataChanged):
                changed.connect(self._fit)
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
        """Give the column that is whole what is left, or what its cells need."""
        if self._whole is None:
            return
        head = self.horizontalHeader().sectionSizeHint(self._whole)
        give_rest(self, self._whole, max(self.sizeHintForColumn(self._whole), head))
