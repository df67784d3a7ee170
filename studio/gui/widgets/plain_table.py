"""The look that all tables share: rows without lines and numbers, and the ground of a cell."""

from typing import Any

from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QHeaderView, QStyle, QStyleOptionViewItem, QTableView

from studio.gui.base import theme
from studio.gui.widgets.heads import Heads


class PlainTable(QTableView):
    """A table whose Tab key moves to the next control.

    Args:
        row: Height of a row in pixels at a scale of 1; 0 leaves it to who makes the table.
        height: Of the whole, likewise.
    """

    def __init__(self, row: int = 0, *, height: int = 0) -> None:
        super().__init__()
        self._row, self._height, self._most, self._least = row, height, 0, 0
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setHorizontalScrollMode(QTableView.ScrollMode.ScrollPerPixel)
        self.setVerticalScrollMode(QTableView.ScrollMode.ScrollPerPixel)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.setHorizontalHeader(Heads(self))
        theme.notifier().changed.connect(self.fit)

    def fit(self, _: Any = None) -> None:
        """Take the sizes of another theme or scale."""
        if self._row:
            self.verticalHeader().setDefaultSectionSize(theme.pixels(self._row))
        if self._height:
            self.setFixedHeight(theme.pixels(self._height))
        if self._most:
            self.show_rows(self._most, self._least)

    def show_rows(self, most: int, least: int = 0) -> None:
        """Be as tall as the head and the rows, so that no row is scrolled to.

        Args:
            most, least: Rows that are shown at most, and for which there is room at least.
        """
        self._most, self._least = most, least
        header, model = self.horizontalHeader(), self.model()
        head = max(header.minimumHeight(), header.sizeHint().height())
        rows = max(least, min(most, model.rowCount())) * self.verticalHeader().defaultSectionSize()
        bar = self.horizontalScrollBar().sizeHint().height()
        self.setFixedHeight(head + rows + bar + 2 * self.frameWidth())


def paint_ground(painter: QPainter, option: QStyleOptionViewItem) -> None:
    """Draw what lies under a cell: chosen or not, with the focus or without.

    Not by the style, which takes ten times as long under a style sheet.
    """
    tokens = theme.current()
    if option.state & QStyle.StateFlag.State_Selected:
        painter.fillRect(option.rect, theme.colour(tokens.accent_soft))
    if option.state & QStyle.StateFlag.State_HasFocus:
        painter.setPen(theme.colour(tokens.accent))
        painter.drawRect(option.rect.adjusted(0, 0, -1, -1))
