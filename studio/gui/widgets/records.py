"""Generic table model: declared columns over a list of records."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from textwrap import wrap
from typing import Any, Generic, TypeVar

from PySide6.QtCore import (
    QAbstractProxyModel,
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPointF,
    QRectF,
    Qt,
)
from PySide6.QtGui import QColor, QPainter, QResizeEvent
from PySide6.QtWidgets import QHeaderView, QStyledItemDelegate, QStyleOptionViewItem

from studio.gui.base import theme
from studio.gui.base.theme import GRID
from studio.gui.base.tooltips import make_plain_tip
from studio.gui.widgets.plain_table import PlainTable, compute_column_width, stretch_column

R = TypeVar("R")
Index = QModelIndex | QPersistentModelIndex

VALUE_ROLE = int(Qt.ItemDataRole.UserRole)
"""Role of the value behind a text, used for sorting and by delegates."""

SEPARATOR = ", "
"""Separator of the items of a list in a cell."""

_HEADER_LETTERS = 16
"""Maximum length of a line of a column's title."""

_NO_PARENT = QModelIndex()
_Role = Qt.ItemDataRole
_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
_BASE_FLAGS = (
    Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemNeverHasChildren
)


@dataclass(frozen=True)
class CellChange(Generic[R]):
    """Editing of a cell.

    Attributes:
        get_value: Record to the cell's value: an editor's initial one, or whether a box is ticked.
        set_value: Takes a record and the typed text (or whether it is ticked now); ``False``
            rejects it.
    """

    get_value: Callable[[R], Any]
    set_value: Callable[[R, Any], bool | None]
    is_allowed: Callable[[R], bool] = lambda _: True


@dataclass(frozen=True)
class ColumnSpec(Generic[R]):
    """A column of a table; texts are in the user's language.

    Attributes:
        text: Record to the cell's text.
        header_tooltip: The column's meaning; empty: its title.
        cell_tooltip: Record to its cell's tooltip; by default, or if empty, the text.
        value: Record to the value behind the text (:data:`VALUE_ROLE`).
        colour, background, sign: Record to the colour of the text, of the cell, and of a square
            before the text.
        edit, tick: Editing of the text, and of a checkbox before it.
        is_right_aligned: Whether it has numbers, which are aligned to the right.
        is_stretched, is_last: Whether it takes the remaining width; the last one keeps at least
            the width of a word, and the view may scroll horizontally.
        is_list: Whether its texts are lists (:data:`SEPARATOR`), of which a view shows the items
            that fit, and the number of the others; not those whose value is False.
        has_bar, has_dot: Whether a view draws its value, in [0, 1] or ``None``, as a bar from 0, or
            as a dot on a line; above 1, as an arrowhead at the line's end.
    """

    title: str
    text: Callable[[R], str]
    header_tooltip: str = ""
    cell_tooltip: Callable[[R], str] | None = None
    accessible_text: Callable[[R], str] | None = None
    value: Callable[[R], Any] | None = None
    colour: Callable[[R], QColor | None] | None = None
    background: Callable[[R], QColor | None] | None = None
    sign: Callable[[R], QColor | None] | None = None
    edit: CellChange[R] | None = None
    tick: CellChange[R] | None = None
    is_right_aligned: bool = False
    is_stretched: bool = False
    is_last: bool = False
    is_list: bool = False
    has_bar: bool = False
    has_dot: bool = False

    @property
    def side(self) -> int:
        """Alignment of header and cells."""
        return _RIGHT if self.is_right_aligned else _LEFT

    @cached_property
    def answers(self) -> Mapping[int, Callable[[R], Any]]:
        """Getters of a record's value by Qt role, for the roles that vary by record."""
        getters = {
            _Role.DisplayRole: self.text,
            _Role.EditRole: self.edit.get_value if self.edit else None,
            _Role.ToolTipRole: self._get_tip,
            _Role.AccessibleTextRole: self.accessible_text,
            _Role.ForegroundRole: self.colour,
            _Role.BackgroundRole: self.background,
            _Role.DecorationRole: self.sign,
            _Role.CheckStateRole: self._check_state if self.tick else None,
            VALUE_ROLE: self.value,
        }
        return {int(role): answer for role, answer in getters.items() if answer is not None}

    def _get_tip(self, record: R) -> str:
        return make_plain_tip(
            (self.cell_tooltip(record) if self.cell_tooltip else "") or self.text(record)
        )

    def _check_state(self, record: R) -> Qt.CheckState:
        assert self.tick is not None
        return Qt.CheckState.Checked if self.tick.get_value(record) else Qt.CheckState.Unchecked


def wrap_header(title: str, max_letters: int = _HEADER_LETTERS) -> str:
    """Break a column's title into short lines."""
    return "\n".join(wrap(title, max_letters, break_long_words=False))


def _get_headers(columns: Sequence[ColumnSpec[Any]]) -> list[tuple[str, bool]]:
    return [(column.title, column.is_right_aligned) for column in columns]


class RecordModel(QAbstractTableModel, Generic[R]):
    """Records as rows of a table.

    Args:
        identify: Record to its identity: rows are then inserted and removed individually, so that
            the selection is kept. Without it, a changed number of records resets the table.
        numbered: Whether the row headers show numbers from 1.
    """

    def __init__(
        self,
        columns: Sequence[ColumnSpec[R]] = (),
        identify: Callable[[R], Hashable] | None = None,
        *,
        numbered: bool = False,
    ) -> None:
        super().__init__()
        self.columns = tuple(columns)
        self.records: list[R] = []
        self._identify = identify
        self._numbered = numbered

    # ---- updates

    def show(self, records: Sequence[R], columns: Sequence[ColumnSpec[R]] | None = None) -> None:
        """Replace the records; only changed cells are redrawn.

        Args:
            columns: New columns; with equal number, titles and alignment they count as the same.
        """
        new_columns = self.columns if columns is None else columns
        if _get_headers(new_columns) != _get_headers(self.columns) or not self._sync_rows(records):
            self.set_records(new_columns, records)
            return
        old_records, self.records = self.records, list(records)
        for row, (old, new) in enumerate(zip(old_records, records, strict=True)):
            if old != new:
                self._emit_changes(row, old, new)

    def set_records(self, columns: Sequence[ColumnSpec[R]], records: Sequence[R]) -> None:
        """Replace records and columns."""
        self.beginResetModel()
        self.columns, self.records = tuple(columns), list(records)
        self.endResetModel()

    def refresh_all(self) -> None:
        """Redraw all cells after a change outside of the records."""
        if self.records and self.columns:
            last = self.index(len(self.records) - 1, len(self.columns) - 1)
            self.dataChanged.emit(self.index(0, 0), last)

    def _sync_rows(self, records: Sequence[R]) -> bool:
        """Insert or remove rows to match the records; return whether all identities then match."""
        if self._identify is None:
            return len(records) == len(self.records)
        new_keys = [self._identify(each) for each in records]
        old_keys = [self._identify(each) for each in self.records]
        kept_keys = set(new_keys)
        remaining = [key for key in old_keys if key in kept_keys]
        if remaining != new_keys[: len(remaining)]:
            return False
        for row in reversed([row for row, key in enumerate(old_keys) if key not in kept_keys]):
            self.beginRemoveRows(QModelIndex(), row, row)
            del self.records[row]
            self.endRemoveRows()
        if len(records) > len(remaining):
            self.beginInsertRows(QModelIndex(), len(remaining), len(records) - 1)
            self.records += records[len(remaining) :]
            self.endInsertRows()
        return True

    def _emit_changes(self, row: int, old: R, new: R) -> None:
        """Signal changed cells only; an open editor would lose its input."""
        for section, column in enumerate(self.columns):
            if any(getter(old) != getter(new) for getter in column.answers.values()):
                self.dataChanged.emit(self.index(row, section), self.index(row, section))

    # ---- Qt's interface

    def rowCount(self, parent: Index = _NO_PARENT) -> int:
        return 0 if parent.isValid() else len(self.records)

    def columnCount(self, parent: Index = _NO_PARENT) -> int:
        return 0 if parent.isValid() else len(self.columns)

    def data(self, index: Index, role: int = _Role.DisplayRole) -> Any:
        column, record = self.columns[index.column()], self.records[index.row()]
        if role == _Role.TextAlignmentRole:
            return column.side
        answer = column.answers.get(role)
        return None if answer is None else answer(record)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = _Role.DisplayRole
    ) -> Any:
        if orientation is Qt.Orientation.Vertical:
            return str(section + 1) if self._numbered and role == _Role.DisplayRole else None
        column = self.columns[section]
        by_role: dict[int, Any] = {
            _Role.DisplayRole: column.title,
            _Role.ToolTipRole: make_plain_tip(column.header_tooltip or column.title),
            _Role.TextAlignmentRole: column.side,
        }
        return by_role.get(role)

    def flags(self, index: Index) -> Qt.ItemFlag:
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        column, record = self.columns[index.column()], self.records[index.row()]
        flags = _BASE_FLAGS
        if column.edit and column.edit.is_allowed(record):
            flags |= Qt.ItemFlag.ItemIsEditable
        if column.tick and column.tick.is_allowed(record):
            flags |= Qt.ItemFlag.ItemIsUserCheckable
        return flags

    def setData(self, index: Index, value: Any, role: int = _Role.EditRole) -> bool:
        column, record = self.columns[index.column()], self.records[index.row()]
        if role == _Role.EditRole and column.edit:
            return column.edit.set_value(record, value) is not False
        if role == _Role.CheckStateRole and column.tick:
            ticked = Qt.CheckState(value) == Qt.CheckState.Checked
            return column.tick.set_value(record, ticked) is not False
        return False


def get_record(index: Index) -> Any:
    """Return a cell's record, also through a proxy model."""
    model = index.model()
    while isinstance(model, QAbstractProxyModel):
        index = model.mapToSource(index)
        model = index.model()
    assert isinstance(model, RecordModel)
    return model.records[index.row()]


_BAR_HEIGHT, _DOT_SIZE = 3.0, 3.0
"""Height of the bar and radius of the dot in a cell."""


_MIN_LAST_WIDTH = 96
"""Minimum width of a last column at a scale of 1; below it, the table scrolls."""


class BarDelegate(QStyledItemDelegate):
    """Draws a cell as usual, with its value as a thin bar, or as a dot on a line, at its foot."""

    def __init__(self, parent: QObject, *, shows_dots: bool = False) -> None:
        super().__init__(parent)
        self._dots = shows_dots

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Any) -> None:
        super().paint(painter, option, index)
        share = index.data(VALUE_ROLE)
        if share is None:
            return
        tokens = theme.current()
        bottom = QRectF(option.rect).adjusted(GRID // 2, 0, -GRID // 2, -2)
        bar = QRectF(bottom.left(), bottom.bottom() - _BAR_HEIGHT, bottom.width(), _BAR_HEIGHT)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour(tokens.raised))
        painter.drawRoundedRect(bar, theme.MARK, theme.MARK)
        painter.setBrush(theme.colour(tokens.accent))
        if self._dots:
            x = bar.left() + _DOT_SIZE + (bar.width() - 2 * _DOT_SIZE) * min(1.0, float(share))
            _draw_dot(painter, QPointF(x, bar.center().y()), is_beyond=float(share) > 1)
        else:
            bar.setWidth(max(_BAR_HEIGHT, bar.width() * float(share)))
            painter.drawRoundedRect(bar, theme.MARK, theme.MARK)
        painter.restore()


class ListDelegate(QStyledItemDelegate):
    """Shows the first items of a list as far as they fit, and the number of the others."""

    def initStyleOption(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        super().initStyleOption(option, index)
        if index.data(VALUE_ROLE) is False:
            return
        width = option.rect.width() - 2 * GRID
        measure = option.fontMetrics.horizontalAdvance
        option.text = shorten_list(option.text, measure, width)


def shorten_list(text: str, measure: Callable[[str], int], width: int) -> str:
    """Return the first items of a list that fit, with the number of the others: "a 1, b 2  +3".

    If not even the first item fits, a part of it is shown, and if not even that, the whole text.
    """
    items = text.split(SEPARATOR)
    for n_shown in range(len(items), 0, -1):
        n_others = len(items) - n_shown
        shown = SEPARATOR.join(items[:n_shown]) + (f"  +{n_others}" if n_others else "")
        if measure(shown) <= width:
            return shown
    count = f"  +{len(items) - 1}" if len(items) > 1 else ""
    cuts = (f"{items[0][:end]}…{count}" for end in range(len(items[0]) - 1, 0, -1))
    return next((each for each in cuts if measure(each) <= width), text)


def _draw_dot(painter: QPainter, center: QPointF, *, is_beyond: bool) -> None:
    """Draw a dot, or an arrowhead for a value beyond the scale."""
    if not is_beyond:
        painter.drawEllipse(center, _DOT_SIZE, _DOT_SIZE)
        return
    height, half_width = 1.4 * _DOT_SIZE, _DOT_SIZE
    corners = ((-half_width, -height), (half_width, 0), (-half_width, height))
    painter.drawPolygon([center + QPointF(x, y) for x, y in corners])


class RecordTable(PlainTable, Generic[R]):
    """A view of a separate :class:`RecordModel`.

    Args:
        name: For screen readers.
        n_lines: Lines of text in a row.
        identify: Record to its identity, see :class:`RecordModel`.
    """

    def __init__(
        self,
        columns: Sequence[ColumnSpec[R]],
        name: str,
        n_lines: int = 1,
        identify: Callable[[R], Hashable] | None = None,
    ) -> None:
        super().__init__(14 + 16 * n_lines)
        self.records: RecordModel[R] = RecordModel(columns, identify)
        self.setModel(self.records)
        self.setAccessibleName(name)
        self.setSelectionBehavior(PlainTable.SelectionBehavior.SelectRows)
        self.setSelectionMode(PlainTable.SelectionMode.SingleSelection)
        self.setWordWrap(n_lines > 1)
        self.fit()
        header = self.horizontalHeader()
        header.setMinimumHeight(36)
        self._bars, self._dots = BarDelegate(self), BarDelegate(self, shows_dots=True)
        self._lists = ListDelegate(self)
        for section, column in enumerate(columns):
            if column.is_stretched:
                header.setSectionResizeMode(section, QHeaderView.ResizeMode.Stretch)
            if column.has_bar:
                self.setItemDelegateForColumn(section, self._bars)
            if column.is_list:
                self.setItemDelegateForColumn(section, self._lists)
            if column.has_dot:
                self.setItemDelegateForColumn(section, self._dots)
        self._last = next((i for i, column in enumerate(columns) if column.is_last), None)
        if self._last is not None:
            self.records.modelReset.connect(self._fit)
            header.sectionResized.connect(self._fit)

    @property
    def selected_records(self) -> list[R]:
        """The selected records, from top to bottom."""
        rows = sorted(each.row() for each in self.selectionModel().selectedRows())
        return [self.records.records[row] for row in rows]

    def set_widths(self, samples: Sequence[str]) -> None:
        """Set the first columns' widths from their headers and these samples."""
        for section, sample in enumerate(samples):
            self.setColumnWidth(
                section, compute_column_width(self.records.columns[section].title, sample)
            )

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self, *_: object) -> None:
        """Stretch the last column to the remaining width, but at least to that of a word."""
        if self._last is not None:
            stretch_column(self, self._last, theme.pixels(_MIN_LAST_WIDTH))
