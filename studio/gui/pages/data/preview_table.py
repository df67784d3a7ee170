"""The first rows of the table as they were read, with kind, role and histogram of each column."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QPoint,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QContextMenuEvent, QFontMetrics, QKeyEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import QHeaderView, QMenu, QTableView, QWidget

from studio.gui.base import theme
from studio.gui.base.language import tr
from studio.gui.pages.data.column_choices import about, choices, in_short
from studio.gui.pages.data.histogram import paint_bars

NOWHERE = QModelIndex()
_BARS = 24
_WIDEST_NAME = 28


class PreviewModel(QAbstractTableModel):
    """The rows of a preview; cells are text as it stands in the file."""

    def __init__(self) -> None:
        super().__init__()
        self._rows: list[list[str]] = []
        self.columns: list[Mapping[str, Any]] = []

    def show_preview(self, preview: Mapping[str, Any] | None) -> None:
        """Take another preview, or none."""
        self.beginResetModel()
        self._rows = [] if preview is None else preview["rows"]
        shown = len(self._rows[0]) if self._rows else 0
        self.columns = [] if preview is None else preview["columns"][:shown]
        self.endResetModel()

    def rowCount(self, parent: Any = NOWHERE) -> int:
        """Return the number of rows."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Any = NOWHERE) -> int:
        """Return the number of columns."""
        return 0 if parent.isValid() else len(self.columns)

    def data(self, index: Any, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return a cell's text, alignment or colour."""
        column = self.columns[index.column()]
        text = self._rows[index.row()][index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return text.replace("\n", " ⏎ ") if text.strip() else "–"
        if role == Qt.ItemDataRole.ToolTipRole:
            return text or tr("missing")
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = "AlignRight" if column["kind"] == "number" else "AlignLeft"
            return int(Qt.AlignmentFlag[side] | Qt.AlignmentFlag.AlignVCenter)
        tokens = theme.current()
        if role == Qt.ItemDataRole.ForegroundRole and (
            column["role"] == "ignore" or not text.strip()
        ):
            return theme.colour(tokens.muted, 0.75)
        if role == Qt.ItemDataRole.BackgroundRole and column["role"] == "target":
            return theme.colour(tokens.accent_soft)
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Return a column's name or row's number, and what is known of the column as tooltip."""
        if orientation is Qt.Orientation.Vertical:
            return str(section + 1) if role == Qt.ItemDataRole.DisplayRole else None
        column = self.columns[section]
        if role == Qt.ItemDataRole.DisplayRole:
            return column["name"]
        if role == Qt.ItemDataRole.ToolTipRole:
            return about(column)
        return None


class ColumnHeader(QHeaderView):
    """Names with kind, role and a histogram beneath; a press opens the choices for the column."""

    role_wanted = Signal(str, str)
    kind_wanted = Signal(str, str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self.setSectionsClickable(True)
        self.setDefaultSectionSize(120)
        self.setMinimumSectionSize(56)
        self.setHighlightSections(False)
        self.setAccessibleName(tr("Columns: press one for what it is used for"))

    def _lines(self) -> tuple[int, int]:
        """Return the heights of the name and of the line beneath."""
        return (
            QFontMetrics(theme.font(theme.BODY, bold=True)).height(),
            QFontMetrics(theme.font(theme.SMALL - 1)).height(),
        )

    def sizeHint(self) -> QSize:
        """Leave room for two lines and the histogram."""
        return QSize(super().sizeHint().width(), sum(self._lines()) + _BARS + 24)

    def sectionSizeFromContents(self, section: int) -> QSize:
        """Fit the name and the line beneath it."""
        column = self._columns()[section]
        wide = theme.font(theme.BODY, bold=True)
        name = QFontMetrics(wide).horizontalAdvance(str(column["name"])[:_WIDEST_NAME])
        small = QFontMetrics(theme.font(theme.SMALL - 1))
        beneath = small.horizontalAdvance(in_short(column))
        return QSize(max(64, min(220, max(name, beneath) + 24)), self.sizeHint().height())

    def paintSection(self, painter: QPainter, rect: QRect, section: int) -> None:
        """Draw one column's head."""
        if not rect.isValid():
            return
        tokens = theme.current()
        column = self._columns()[section]
        target, ignored = column["role"] == "target", column["role"] == "ignore"
        name_height, beneath_height = self._lines()
        painter.save()
        painter.fillRect(rect, theme.colour(tokens.accent_soft if target else tokens.surface))
        painter.setPen(theme.colour(tokens.border))
        painter.drawLine(rect.bottomLeft(), rect.bottomRight())
        inner = rect.adjusted(8, 7, -8, -7)
        right = column["kind"] == "number"
        side = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
        painter.setFont(theme.font(theme.BODY, bold=True))
        painter.setPen(theme.colour(tokens.muted if ignored else tokens.text))
        name = painter.fontMetrics().elidedText(
            str(column["name"]), Qt.TextElideMode.ElideRight, inner.width()
        )
        painter.drawText(inner, side | Qt.AlignmentFlag.AlignTop, name)
        painter.setFont(theme.font(theme.SMALL - 1))
        warned = bool(column["warnings"])
        colour = tokens.accent if target else tokens.warn if warned else tokens.muted
        painter.setPen(theme.colour(colour))
        beneath = QRect(inner.left(), inner.top() + name_height, inner.width(), beneath_height)
        words = painter.fontMetrics().elidedText(
            in_short(column), Qt.TextElideMode.ElideRight, inner.width()
        )
        painter.drawText(beneath, side | Qt.AlignmentFlag.AlignVCenter, words)
        if column.get("distribution"):
            area = QRectF(inner.left(), inner.bottom() - _BARS, inner.width(), _BARS)
            shade = tokens.muted if ignored else tokens.accent
            paint_bars(painter, area, column["distribution"], theme.colour(shade, 0.55))
        painter.restore()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Open the choices where a column's head was pressed (not where it was resized)."""
        resizing = self.cursor().shape() is Qt.CursorShape.SplitHCursor
        super().mouseReleaseEvent(event)
        if event.button() is Qt.MouseButton.LeftButton and not resizing:
            self.offer(self.logicalIndexAt(event.position().toPoint()))

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Open the choices."""
        self.offer(self.logicalIndexAt(event.pos()))

    def offer(self, section: int) -> None:
        """Open the choices of a column under its head."""
        if 0 <= section < len(self._columns()):
            menu = self.choices(section)
            left = self.sectionViewportPosition(section)
            menu.popup(self.mapToGlobal(QPoint(left, self.height())))

    def choices(self, section: int) -> QMenu:
        """Return the menu of a column."""
        columns = self._columns()
        name = str(columns[section]["name"])
        return choices(
            self,
            [columns[section]],
            columns,
            partial(self.role_wanted.emit, name),
            partial(self.kind_wanted.emit, name),
        )

    def _columns(self) -> list[Mapping[str, Any]]:
        model = self.model()
        return model.columns if isinstance(model, PreviewModel) else []


class PreviewTable(QTableView):
    """The preview; Menu or Return opens the choices of the column of the current cell."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.preview = PreviewModel()
        self.header = ColumnHeader(self)
        self.setHorizontalHeader(self.header)
        self.setModel(self.preview)
        self.setAccessibleName(tr("First rows of the table"))
        self.setShowGrid(False)
        self.setAlternatingRowColors(False)
        self.setSelectionMode(QTableView.SelectionMode.SingleSelection)
        self.setHorizontalScrollMode(QTableView.ScrollMode.ScrollPerPixel)
        self.setVerticalScrollMode(QTableView.ScrollMode.ScrollPerPixel)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        rows = self.verticalHeader()
        rows.setDefaultSectionSize(26)
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self._names: list[str] = []

    def show_preview(self, preview: Mapping[str, Any] | None) -> None:
        """Show another preview; where the columns are the same, their widths are kept."""
        self.preview.show_preview(preview)
        self._put_target_first()
        names = [str(column["name"]) for column in self.preview.columns]
        if names != self._names:
            self._names = names
            for section in range(len(names)):
                width = self.header.sectionSizeFromContents(section).width()
                self.setColumnWidth(section, max(width, self._content_width(section)))

    def _put_target_first(self) -> None:
        """Show the column to predict at the left, wherever it stands in the file."""
        for section in range(self.header.count()):
            if self.header.visualIndex(section) != section:
                self.header.moveSection(self.header.visualIndex(section), section)
        roles = [column["role"] for column in self.preview.columns]
        if "target" in roles:
            self.header.moveSection(roles.index("target"), 0)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open a column's choices from the keyboard."""
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Menu} and self.currentIndex().isValid():
            self.header.offer(self.currentIndex().column())
        else:
            super().keyPressEvent(event)

    def _content_width(self, section: int) -> int:
        metrics = self.fontMetrics()
        shown = [
            str(self.preview.index(row, section).data())[:40]
            for row in range(min(20, self.preview.rowCount()))
        ]
        return min(260, max((metrics.horizontalAdvance(text) for text in shown), default=0) + 20)
