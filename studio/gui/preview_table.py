"""The first rows of the table as they were read, with each column's kind and role above it."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QFontMetrics, QKeyEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import QHeaderView, QMenu, QTableView, QWidget

from studio.gui import theme

NOWHERE = QModelIndex()
_HEADER_HEIGHT = 48

KIND_WORDS = {"number": "numbers", "category": "words"}
ROLE_WORDS = {
    "feature": "used",
    "target": "to predict",
    "ignore": "left out",
    "group": "group",
    "time": "time",
    "weight": "weight",
}
ROLE_CHOICES = (
    ("target", "Predict this column (target)", "The column whose values are wanted"),
    ("feature", "Use it to predict (feature)", "Models learn from it"),
    ("ignore", "Leave it out", "Nothing looks at it"),
    (
        "group",
        "Keep rows with the same value together (group)",
        "No patient, customer or machine is in training and test at once",
    ),
    ("time", "Put rows in order by it (time)", "Models learn from the past, the latest rows test"),
    ("weight", "Let rows count by it (weight)", "A row of weight 2 counts as much as two rows"),
)
"""Role, its words in the menu, and what it is good for."""

_ONE_OF = {"group": "time", "time": "group"}
"""Roles that exclude each other: rows cannot be in whole groups and in order of time at once."""


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
            return text or "missing"
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


def about(column: Mapping[str, Any]) -> str:
    """Say in some lines what is known of a column."""
    lines = [
        str(column["name"])[:200],
        f"{KIND_WORDS[column['kind']].capitalize()}: {column['reason']}",
        f"{column['distinct']:,} different values, {column['missing']:,} missing",
    ]
    if column["minimum"] is not None:
        lines.append(f"From {column['minimum']:g} to {column['maximum']:g}")
    return "\n".join([*lines, *column["warnings"], "Press for choices."])


class ColumnHeader(QHeaderView):
    """Column names with kind and role beneath; a press opens the choices for the column."""

    role_wanted = Signal(str, str)
    kind_wanted = Signal(str, str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self.setSectionsClickable(True)
        self.setDefaultSectionSize(120)
        self.setMinimumSectionSize(56)
        self.setHighlightSections(False)

    def sizeHint(self) -> QSize:
        """Leave room for two lines."""
        return QSize(super().sizeHint().width(), _HEADER_HEIGHT)

    def sectionSizeFromContents(self, section: int) -> QSize:
        """Fit the name and the line beneath it."""
        column = self._columns()[section]
        wide = theme.font(theme.BODY, bold=True)
        name = QFontMetrics(wide).horizontalAdvance(str(column["name"])[:28])
        beneath = QFontMetrics(theme.font(11)).horizontalAdvance(_beneath(column))
        return QSize(max(64, min(220, max(name, beneath) + 24)), _HEADER_HEIGHT)

    def paintSection(self, painter: QPainter, rect: QRect, section: int) -> None:
        """Draw one column's head."""
        if not rect.isValid():
            return
        tokens = theme.current()
        column = self._columns()[section]
        target, ignored = column["role"] == "target", column["role"] == "ignore"
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
        painter.setFont(theme.font(11))
        warned = bool(column["warnings"])
        colour = tokens.accent if target else tokens.warn if warned else tokens.muted
        painter.setPen(theme.colour(colour))
        painter.drawText(inner, side | Qt.AlignmentFlag.AlignBottom, _beneath(column))
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
        column = self._columns()[section]
        name = str(column["name"])
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        target = column["role"] == "target"
        menu.setToolTipsVisible(True)
        others = {each["role"]: each["name"] for each in self._columns() if each is not column}
        for role, text, tip in ROLE_CHOICES:
            action = menu.addAction(text, partial(self.role_wanted.emit, name, role))
            action.setCheckable(True)
            action.setChecked(column["role"] == role)
            rival = others.get(_ONE_OF.get(role, ""))
            action.setEnabled((not target or role == "target") and rival is None)
            action.setToolTip(
                tip if rival is None else f"Not while “{rival}” is the {_ONE_OF[role]}"
            )
        menu.addSeparator()
        for kind, text in (("number", "Treat as numbers"), ("category", "Treat as words")):
            action = menu.addAction(text, partial(self.kind_wanted.emit, name, kind))
            action.setCheckable(True)
            action.setChecked(column["kind"] == kind)
        return menu

    def _columns(self) -> list[Mapping[str, Any]]:
        model = self.model()
        return model.columns if isinstance(model, PreviewModel) else []


def _beneath(column: Mapping[str, Any]) -> str:
    parts = [KIND_WORDS[column["kind"]]]
    if column["role"] != "feature":
        parts.append(ROLE_WORDS[column["role"]])
    if column["missing"]:
        parts.append(f"{column['missing']:,} missing")
    return ("⚠ " if column["warnings"] else "") + " · ".join(parts)


class PreviewTable(QTableView):
    """The preview; Menu or Return opens the choices of the column of the current cell."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.preview = PreviewModel()
        self.header = ColumnHeader(self)
        self.setHorizontalHeader(self.header)
        self.setModel(self.preview)
        self.setAccessibleName("First rows of the table")
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
