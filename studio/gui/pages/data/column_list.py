"""All columns of the table in a list: to find some of many, and to say what they are used for."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRectF,
    QSortFilterProxyModel,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QHeaderView,
    QLineEdit,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from studio.gui.base import theme
from studio.gui.base.language import grouped, mark, percent, said, tr
from studio.gui.base.theme import GRID
from studio.gui.pages.data.column_choices import KIND_WORDS, ROLE_WORDS, about, choices
from studio.gui.pages.data.histogram import paint_bars, summary
from studio.gui.widgets import kit
from studio.gui.widgets.widths import width_for

NOWHERE = QModelIndex()
Index = QModelIndex | QPersistentModelIndex

HEADS = (
    (mark("Column"), mark("Its name in the table")),
    (mark("Used as"), mark("What it is for (role)")),
    (mark("Holds"), mark("Numbers or words (type)")),
    (mark("Values"), mark("How its values are distributed (histogram)")),
    (mark("Different"), mark("How many different values it has")),
    (mark("Missing"), mark("How many rows have no value")),
    (mark("Worth knowing"), mark("What was noticed about it")),
)
_NAME, _ROLE, _KIND, _VALUES, _DISTINCT, _MISSING, _REMARKS = range(len(HEADS))
_WIDTHS = (150, 84, 76, 110, 80, 100)
_ROW_HEIGHT = 34
SORT_ROLE = int(Qt.ItemDataRole.UserRole)


class ColumnModel(QAbstractTableModel):
    """One row a column of the table."""

    def __init__(self) -> None:
        super().__init__()
        self.columns: Sequence[Mapping[str, Any]] = ()
        self._n_rows = 0

    def show_preview(self, preview: Mapping[str, Any] | None) -> None:
        """Take another preview, or none; where its columns are the same, selections stay."""
        columns = () if preview is None else preview["columns"]
        self._n_rows = 0 if preview is None else int(preview["n_rows"])
        if [each["name"] for each in columns] == [each["name"] for each in self.columns]:
            self.columns = columns
            if columns:
                last = self.index(len(columns) - 1, len(HEADS) - 1)
                self.dataChanged.emit(self.index(0, 0), last)
            return
        self.beginResetModel()
        self.columns = columns
        self.endResetModel()

    def rowCount(self, parent: Index = NOWHERE) -> int:
        """Return the number of the table's columns."""
        return 0 if parent.isValid() else len(self.columns)

    def columnCount(self, parent: Index = NOWHERE) -> int:
        """Return the number of facts about each."""
        return 0 if parent.isValid() else len(HEADS)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Return a fact's name and what it means."""
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return tr(HEADS[section][0])
        if role == Qt.ItemDataRole.ToolTipRole:
            return tr(HEADS[section][1])
        if role == Qt.ItemDataRole.TextAlignmentRole and section in {_DISTINCT, _MISSING}:
            return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return a fact in words, what to sort by, or its looks."""
        column, fact = self.columns[index.row()], index.column()
        makers: dict[int, Callable[[], Any]] = {
            Qt.ItemDataRole.DisplayRole: lambda: self._text(column, fact),
            SORT_ROLE: lambda: self._key(column, fact),
            Qt.ItemDataRole.ToolTipRole: lambda: about(column),
            Qt.ItemDataRole.AccessibleTextRole: lambda: self._spoken(column, fact),
            Qt.ItemDataRole.ForegroundRole: lambda: _colour(column, fact),
        }
        if role == Qt.ItemDataRole.TextAlignmentRole and fact in {_DISTINCT, _MISSING}:
            return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        return makers[role]() if role in makers else None

    def _text(self, column: Mapping[str, Any], fact: int) -> str:
        texts = {
            _NAME: str(column["name"]),
            _ROLE: tr(ROLE_WORDS[column["role"]]),
            _KIND: tr(KIND_WORDS[column["kind"]]),
            _DISTINCT: grouped(column["distinct"]),
            _MISSING: _missing(column["missing"], self._n_rows),
            _REMARKS: " ".join(said(each) for each in column["warnings"]),
        }
        return texts.get(fact, "")

    def _spoken(self, column: Mapping[str, Any], fact: int) -> str:
        """Return a fact for people who cannot see it."""
        found = column.get("distribution")
        return summary(found) if fact == _VALUES and found else self._text(column, fact)

    def _key(self, column: Mapping[str, Any], fact: int) -> Any:
        """Return what a fact is sorted by."""
        if fact in {_DISTINCT, _MISSING}:
            return column["distinct" if fact == _DISTINCT else "missing"]
        return self._text(column, fact).lower()


def _missing(missing: int, n_rows: int) -> str:
    share = missing / max(1, n_rows)
    rounded = percent(share, 0) if share >= 0.01 else f"< {percent(0.01, 0)}"
    return f"{grouped(missing)} ({rounded})" if missing else "–"


def _colour(column: Mapping[str, Any], fact: int) -> QColor | None:
    tokens = theme.current()
    if fact == _REMARKS and column["warnings"]:
        return theme.colour(tokens.warn)
    if column["role"] == "ignore":
        return theme.colour(tokens.muted)
    if column["role"] == "target" and fact in {_NAME, _ROLE}:
        return theme.colour(tokens.accent)
    return None


class _Bars(QStyledItemDelegate):
    """Draws the histogram of a column in its cell."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw the cell's ground, then the bars."""
        super().paint(painter, option, index)
        proxy = index.model()
        assert isinstance(proxy, QSortFilterProxyModel)
        model = proxy.sourceModel()
        assert isinstance(model, ColumnModel)
        column = model.columns[proxy.mapToSource(index).row()]
        found = column.get("distribution")
        if found:
            tokens = theme.current()
            shade = tokens.muted if column["role"] == "ignore" else tokens.accent
            area = QRectF(option.rect).adjusted(8, 5, -8, -5)
            painter.save()
            paint_bars(painter, area, found, theme.colour(shade, 0.65))
            painter.restore()


class ColumnTable(QTableView):
    """The list itself; Return or the menu key opens the choices for what is selected."""

    choices_wanted = Signal(QPoint)

    def __init__(self, model: ColumnModel) -> None:
        super().__init__()
        self.proxy = QSortFilterProxyModel(self)
        self.proxy.setSourceModel(model)
        self.proxy.setFilterCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.proxy.setFilterKeyColumn(_NAME)
        self.proxy.setSortRole(SORT_ROLE)
        self.setModel(self.proxy)
        self.setAccessibleName(tr("Columns of the table"))
        self.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QTableView.SelectionMode.ExtendedSelection)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setSortingEnabled(True)
        self.setItemDelegateForColumn(_VALUES, _Bars(self))
        self.setHorizontalScrollMode(QTableView.ScrollMode.ScrollPerPixel)
        head = self.horizontalHeader()
        head.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        head.setStretchLastSection(True)
        head.setHighlightSections(False)
        head.setSortIndicatorClearable(True)
        head.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        for section, width in enumerate(_WIDTHS):
            self.setColumnWidth(section, max(width, width_for(tr(HEADS[section][0]))))
        rows = self.verticalHeader()
        rows.hide()
        rows.setDefaultSectionSize(_ROW_HEIGHT)
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(
            lambda where: self.choices_wanted.emit(self.viewport().mapToGlobal(where))
        )

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open the choices from the keyboard."""
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Menu} and self.currentIndex().isValid():
            where = self.visualRect(self.currentIndex()).bottomLeft()
            self.choices_wanted.emit(self.viewport().mapToGlobal(where))
        else:
            super().keyPressEvent(event)


class ColumnList(QWidget):
    """A search line, the list, and buttons for what is selected."""

    role_wanted = Signal(list, str)
    """Names of columns, and the role that they shall have."""

    kind_wanted = Signal(list, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.columns = ColumnModel()
        self.table = ColumnTable(self.columns)
        self.search = QLineEdit()
        self.search.setPlaceholderText(tr("Find a column…"))
        self.search.setAccessibleName(tr("Find a column"))
        self.search.setToolTip(tr("Shows the columns whose name holds this text"))
        self.search.setClearButtonEnabled(True)
        self.search.textChanged.connect(self.table.proxy.setFilterFixedString)
        self.use = kit.button(
            tr("Use"),
            lambda: self._take_role("feature"),
            kind="quiet",
            tip=tr("Let models learn from the selected columns"),
        )
        self.leave = kit.button(
            tr("Leave out"),
            lambda: self._take_role("ignore"),
            kind="quiet",
            tip=tr("Nothing looks at the selected columns"),
        )
        self.more = kit.button(
            tr("More choices…"),
            lambda: self._offer(self.more.mapToGlobal(QPoint(0, self.more.height()))),
            kind="quiet",
            tip=tr("What else the selected columns can be used for"),
        )
        bar = kit.row(self.search, None, self.use, self.leave, self.more)
        bar.setContentsMargins(GRID, GRID // 2, GRID, GRID // 2)
        bar.setStretch(0, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(bar)
        column.addWidget(self.table, 1)
        self.table.choices_wanted.connect(self._offer)
        self.table.selectionModel().selectionChanged.connect(lambda *_: self._show_selected())
        self._show_selected()

    def show_preview(self, preview: Mapping[str, Any] | None) -> None:
        """Show another preview's columns."""
        self.columns.show_preview(preview)
        self._show_selected()

    @property
    def selected(self) -> list[Mapping[str, Any]]:
        """The selected columns."""
        found = self.table.selectionModel().selectedRows()
        return [self.columns.columns[self.table.proxy.mapToSource(each).row()] for each in found]

    def _show_selected(self) -> None:
        chosen = self.selected
        free = bool(chosen) and all(each["role"] != "target" for each in chosen)
        why = "" if chosen else tr("Select columns in the list first")
        for button, tip in (
            (self.use, tr("Let models learn from the selected columns")),
            (self.leave, tr("Nothing looks at the selected columns")),
        ):
            button.setEnabled(free)
            target = tr("The column to predict has no other use")
            button.setToolTip(tip if free else why or target)
        self.more.setEnabled(bool(chosen))

    def _take_role(self, role: str) -> None:
        self.role_wanted.emit([str(each["name"]) for each in self.selected], role)

    def _take_kind(self, kind: str) -> None:
        self.kind_wanted.emit([str(each["name"]) for each in self.selected], kind)

    def _offer(self, where: QPoint) -> None:
        if self.selected:
            menu = choices(
                self, self.selected, self.columns.columns, self._take_role, self._take_kind
            )
            menu.popup(where)
