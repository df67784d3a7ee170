"""Common look of tables: headers, column widths, no grid or row numbers."""

from typing import Any

from PySide6.QtCore import QEvent, QRect, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QWheelEvent
from PySide6.QtWidgets import (
    QHeaderView,
    QScrollBar,
    QStyle,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from studio.gui.base import icons, theme

_SORT_INDICATOR_SIZE = 10
"""Size of the sort indicator in the right margin, which does not grow with the type."""


class _HeaderView(QHeaderView):
    """A header; a style sheet alone would cut words at the sort indicator."""

    def __init__(self, table: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal, table)
        self.setSectionsClickable(True)
        self.setHighlightSections(False)
        self.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)

    def paintSection(self, painter: QPainter, rect: QRect, logicalIndex: int) -> None:
        painter.save()
        super().paintSection(painter, rect, logicalIndex)
        painter.restore()
        if self.isSortIndicatorShown() and self.sortIndicatorSection() == logicalIndex:
            is_ascending = self.sortIndicatorOrder() is Qt.SortOrder.AscendingOrder
            edge = _SORT_INDICATOR_SIZE
            sign_rect = QRect(0, 0, edge, edge)
            sign_rect.moveCenter(rect.center())
            sign_rect.moveRight(rect.right())
            name, colour = f"chevron-{'up' if is_ascending else 'down'}", theme.current().accent
            icons.make_icon(name, colour, edge).paint(painter, sign_rect)


_DEFAULT_WIDTH = 100
"""Default width of a column, at a scale of 1."""


class _HorizontalBar(QScrollBar):
    """A horizontal scroll bar that leaves the vertical wheel to the page."""

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll only sideways, as in the table itself."""
        if abs(event.angleDelta().y()) > abs(event.angleDelta().x()):
            event.ignore()
        else:
            super().wheelEvent(event)


class PlainTable(QTableView):
    """A table whose Tab key moves to the next control.

    Args:
        row: Height of a row in pixels at a scale of 1; 0 for the default.
        height: Height of the table, likewise.
    """

    def __init__(self, row: int = 0, *, height: int = 0) -> None:
        super().__init__()
        self._row, self._height, self._max_rows, self._min_rows = row, height, 0, 0
        self._scale = theme.scale()
        self.setHorizontalScrollBar(_HorizontalBar(Qt.Orientation.Horizontal))
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setHorizontalScrollMode(QTableView.ScrollMode.ScrollPerPixel)
        self.setVerticalScrollMode(QTableView.ScrollMode.ScrollPerPixel)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.setHorizontalHeader(_HeaderView(self))
        self.horizontalHeader().setDefaultSectionSize(theme.pixels(_DEFAULT_WIDTH))
        theme.get_notifier().changed.connect(self.fit)

    def fit(self, _: Any = None) -> None:
        """Apply the sizes of a new theme or scale."""
        self.scale_columns()
        if self._row:
            self.verticalHeader().setDefaultSectionSize(theme.pixels(self._row))
        if self._height:
            self.setFixedHeight(theme.pixels(self._height))
        if self._max_rows:
            self.show_rows(self._max_rows, self._min_rows)

    def changeEvent(self, event: QEvent) -> None:
        """Apply the sizes once a window's style sheet applies."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.StyleChange:
            self.fit()

    def scale_columns(self) -> None:
        """Resize the columns with the type, including those resized by the user."""
        previous_scale, self._scale = self._scale, theme.scale()
        if previous_scale == self._scale:
            return
        header = self.horizontalHeader()
        widths = [header.sectionSize(section) for section in range(header.count())]
        # This resets all sections.
        header.setDefaultSectionSize(
            round(header.defaultSectionSize() * self._scale / previous_scale)
        )
        resize_modes = (QHeaderView.ResizeMode.Interactive, QHeaderView.ResizeMode.Fixed)
        for section, width in enumerate(widths):
            if width and header.sectionResizeMode(section) in resize_modes:
                header.resizeSection(section, round(width * self._scale / previous_scale))

    def show_rows(self, max_rows: int, min_rows: int = 0) -> None:
        """Fit the height to header and rows, ``min_rows`` to ``max_rows``, without scrolling."""
        self._max_rows, self._min_rows = max_rows, min_rows
        header, model = self.horizontalHeader(), self.model()
        header_height = max(header.minimumHeight(), header.sizeHint().height())
        rows = (
            max(min_rows, min(max_rows, model.rowCount()))
            * self.verticalHeader().defaultSectionSize()
        )
        bar = self.horizontalScrollBar().sizeHint().height()
        self.setFixedHeight(header_height + rows + bar + 2 * self.frameWidth())


def paint_background(painter: QPainter, option: QStyleOptionViewItem) -> None:
    """Draw a cell's background with selection and focus.

    The style is not used, as it takes ten times as long with a style sheet.
    """
    tokens = theme.current()
    if option.state & QStyle.StateFlag.State_Selected:
        painter.fillRect(option.rect, theme.colour(tokens.accent_soft))
    if option.state & QStyle.StateFlag.State_HasFocus:
        painter.setPen(theme.colour(tokens.accent))
        painter.drawRect(option.rect.adjusted(0, 0, -1, -1))


_CELL_PADDING, _SIGN_WIDTH = 20, 4
"""Padding of the text, and width of the sort indicator next to a section's text."""


def compute_column_width(title: str, sample: str = "") -> int:
    """Return a column's width for its title and a sample, at any type size."""
    header_width = QFontMetrics(theme.font(theme.BODY, bold=True)).horizontalAdvance(title)
    sample_width = QFontMetrics(theme.font(theme.BODY)).horizontalAdvance(sample)
    return max(header_width + _SIGN_WIDTH, sample_width) + _CELL_PADDING


def stretch_column(table: QTableView, section: int, min_width: int) -> None:
    """Stretch one column to the rest of the view; if too narrow, the table scrolls.

    Qt's "stretch" would shrink the column to zero instead.

    Args:
        table: With its widths; called again after each change of them.
        section: The column.
        min_width: Its smallest width, in device-independent pixels.
    """
    header = table.horizontalHeader()
    other_width = header.length() - header.sectionSize(section)
    width = max(table.viewport().width() - other_width, min_width)
    if width != header.sectionSize(section):
        header.resizeSection(section, width)
