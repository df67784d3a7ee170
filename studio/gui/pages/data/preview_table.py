"""Preview of the table's first rows, with kind, role and histogram of each column."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QContextMenuEvent, QFontMetrics, QKeyEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import QHeaderView, QMenu, QWidget

from studio.gui.base import theme
from studio.gui.pages.data.column_choices import (
    make_choices_menu,
    make_column_tooltip,
    summarise_column,
)
from studio.gui.pages.data.histogram import paint_bars
from studio.gui.widgets.plain_table import PlainTable
from studio.gui.widgets.records import ColumnSpec, RecordModel
from studio.helper.preview import Preview, PreviewColumn
from studio.language import tr

_HISTOGRAM_HEIGHT = 24
_MAX_NAME_LENGTH = 28
_ROW_HEIGHT = 26


Row = Sequence[str]
"""The cells of a row, as in the file."""


def make_columns(columns: Sequence[PreviewColumn]) -> list[ColumnSpec[Row]]:
    """Return the columns of a preview."""
    return [_make_column(index, column) for index, column in enumerate(columns)]


def _make_column(index: int, column: PreviewColumn) -> ColumnSpec[Row]:
    def get_text(row: Row) -> str:
        return row[index].replace("\n", " ⏎ ") if row[index].strip() else "–"

    def get_colour(row: Row) -> QColor | None:
        quiet = column.role == "ignore" or not row[index].strip()
        return theme.colour(theme.current().muted, 0.75) if quiet else None

    def get_background(_: Row) -> QColor | None:
        target = column.role == "target"
        return theme.colour(theme.current().accent_soft) if target else None

    return ColumnSpec(
        str(column.name),
        get_text,
        make_column_tooltip(column),
        cell_tooltip=lambda row: row[index] or tr("missing"),
        colour=get_colour,
        background=get_background,
        is_right_aligned=column.kind == "number",
    )


class ColumnHeader(QHeaderView):
    """Header with name, kind, role and histogram; a click opens the column's menu."""

    role_requested = Signal(str, str)
    kind_requested = Signal(str, str)
    column_chosen = Signal(str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self.setSectionsClickable(True)
        self.setDefaultSectionSize(120)
        self.setMinimumSectionSize(56)
        self.setHighlightSections(False)
        self.setAccessibleName(tr("Columns: click one to choose its role"))
        self.columns: Sequence[PreviewColumn] = ()
        self._histogram_height = _HISTOGRAM_HEIGHT

    def show_histograms(self, visible: bool) -> None:
        """Show or hide the histograms, which require an additional line."""
        height = _HISTOGRAM_HEIGHT if visible else 0
        if height != self._histogram_height:
            self._histogram_height = height
            self.updateGeometry()
            self.geometriesChanged.emit()
            self.viewport().update()

    def _get_line_heights(self) -> tuple[int, int]:
        return (
            QFontMetrics(theme.font(theme.BODY, bold=True)).height(),
            QFontMetrics(theme.font(theme.SMALL)).height(),
        )

    def sizeHint(self) -> QSize:
        """Return a size for two lines and the histogram."""
        # Qt's own hint would measure hundreds of sections, and the width is unused.
        gaps = 24 if self._histogram_height else 16
        height = sum(self._get_line_heights()) + self._histogram_height + gaps
        return QSize(self.defaultSectionSize(), height)

    def sectionSizeFromContents(self, section: int) -> QSize:
        """Return a width for the name and the line beneath."""
        column = self.columns[section]
        bold_font = theme.font(theme.BODY, bold=True)
        name = QFontMetrics(bold_font).horizontalAdvance(str(column.name)[:_MAX_NAME_LENGTH])
        small_metrics = QFontMetrics(theme.font(theme.SMALL))
        summary_width = small_metrics.horizontalAdvance(summarise_column(column))
        return QSize(max(64, min(220, max(name, summary_width) + 24)), self.sizeHint().height())

    def paintSection(self, painter: QPainter, rect: QRect, section: int) -> None:
        if not rect.isValid():
            return
        tokens = theme.current()
        column = self.columns[section]
        target, ignored = column.role == "target", column.role == "ignore"
        name_height, height_below = self._get_line_heights()
        painter.save()
        painter.fillRect(rect, theme.colour(tokens.accent_soft if target else tokens.surface))
        painter.setPen(theme.colour(tokens.border))
        painter.drawLine(rect.bottomLeft(), rect.bottomRight())
        inner = rect.adjusted(8, 8, -8, -8)
        is_right_aligned = column.kind == "number"
        alignment = Qt.AlignmentFlag.AlignRight if is_right_aligned else Qt.AlignmentFlag.AlignLeft
        painter.setFont(theme.font(theme.BODY, bold=True))
        painter.setPen(theme.colour(tokens.muted if ignored else tokens.text))
        name = painter.fontMetrics().elidedText(
            str(column.name), Qt.TextElideMode.ElideRight, inner.width()
        )
        painter.drawText(inner, alignment | Qt.AlignmentFlag.AlignTop, name)
        painter.setFont(theme.font(theme.SMALL))
        is_doubtful = column.is_doubtful
        colour = tokens.warn if is_doubtful else tokens.accent if target else tokens.muted
        painter.setPen(theme.colour(colour))
        summary_rect = QRect(inner.left(), inner.top() + name_height, inner.width(), height_below)
        summary = painter.fontMetrics().elidedText(
            summarise_column(column), Qt.TextElideMode.ElideRight, inner.width()
        )
        painter.drawText(summary_rect, alignment | Qt.AlignmentFlag.AlignVCenter, summary)
        if column.distribution and self._histogram_height:
            height = self._histogram_height
            area = QRectF(inner.left(), inner.bottom() - height, inner.width(), height)
            shade = tokens.muted if ignored else tokens.accent
            paint_bars(painter, area, column.distribution, theme.colour(shade, 0.55))
        painter.restore()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Open the menu of a clicked section, unless it was resized."""
        resizing = self.cursor().shape() is Qt.CursorShape.SplitHCursor
        super().mouseReleaseEvent(event)
        if event.button() is Qt.MouseButton.LeftButton and not resizing:
            self.open_menu(self.logicalIndexAt(event.position().toPoint()))

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Open the menu of the current section."""
        self.open_menu(self.logicalIndexAt(event.pos()))

    def open_menu(self, section: int) -> None:
        """Open a column's menu under its header."""
        if 0 <= section < len(self.columns):
            menu = self.make_choices_menu(section)
            left = self.sectionViewportPosition(section)
            menu.popup(self.mapToGlobal(QPoint(left, self.height())))

    def make_choices_menu(self, section: int) -> QMenu:
        """Return the menu of a column."""
        columns = self.columns
        name = columns[section].name
        menu = make_choices_menu(
            self,
            [columns[section]],
            columns,
            partial(self.role_requested.emit, name),
            partial(self.kind_requested.emit, name),
        )
        menu.addSeparator()
        details = menu.addAction(tr("Details…"), partial(self.column_chosen.emit, name))
        details.setToolTip(tr("Its values, its relation to the target, and findings"))
        return menu


class PreviewTable(PlainTable):
    """The preview; Menu or Return opens the menu of the current column."""

    def __init__(self) -> None:
        super().__init__(_ROW_HEIGHT)
        self.preview: RecordModel[Row] = RecordModel(numbered=True)
        self.header = ColumnHeader(self)
        self.setHorizontalHeader(self.header)
        self.setModel(self.preview)
        self.setAccessibleName(tr("First rows of the table"))
        self.setSelectionMode(PlainTable.SelectionMode.SingleSelection)
        self.verticalHeader().show()
        self.fit()
        self._names: list[str] = []

    def show_preview(self, preview: Preview | None) -> None:
        """Show another preview; widths stay if the columns are the same."""
        rows = [] if preview is None else preview.rows
        columns = [] if preview is None or not rows else preview.columns[: len(rows[0])]
        self.header.columns = columns
        self.preview.set_records(make_columns(columns), rows)
        self._move_target_first()
        names = [str(column.name) for column in columns]
        if names != self._names:
            self._names = names
            for section in range(len(names)):
                width = self.header.sectionSizeFromContents(section).width()
                self.setColumnWidth(section, max(width, self._compute_content_width(section)))

    def _move_target_first(self) -> None:
        """Show the target column on the left, wherever it is in the file."""
        for section in range(self.header.count()):
            if self.header.visualIndex(section) != section:
                self.header.moveSection(self.header.visualIndex(section), section)
        roles = [column.role for column in self.header.columns]
        if "target" in roles:
            self.header.moveSection(roles.index("target"), 0)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open a column's menu from the keyboard."""
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Menu} and self.currentIndex().isValid():
            self.header.open_menu(self.currentIndex().column())
        else:
            super().keyPressEvent(event)

    def _compute_content_width(self, section: int) -> int:
        metrics = self.fontMetrics()
        texts = [
            str(self.preview.index(row, section).data())[:40]
            for row in range(min(20, self.preview.rowCount()))
        ]
        return min(260, max((metrics.horizontalAdvance(text) for text in texts), default=0) + 20)
