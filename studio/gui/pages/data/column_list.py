"""Searchable list of all columns, with a choice of their roles."""

from collections.abc import Callable, Mapping

from PySide6.QtCore import QPoint, QRectF, QSortFilterProxyModel, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem, QWidget

from studio.data.column import Direction
from studio.gui.base import theme
from studio.gui.base.theme import GRID
from studio.gui.base.tooltips import make_plain_tip
from studio.gui.pages.data.column_choices import (
    KIND_WORDS,
    ROLE_WORDS,
    make_choices_menu,
    make_column_tooltip,
)
from studio.gui.pages.data.histogram import paint_bars, summarise_distribution
from studio.gui.widgets import kit
from studio.gui.widgets.plain_table import PlainTable, compute_column_width
from studio.gui.widgets.records import VALUE_ROLE, ColumnSpec, Index, RecordModel, get_record
from studio.helper.preview import Preview, PreviewColumn
from studio.language import N_, format_share, group_digits, tr, translate

_EFFECTS: Mapping[Direction, str] = {
    "up": N_("Never lowers the prediction."),
    "down": N_("Never raises the prediction."),
}

_VALUES_COLUMN = 3
_WIDTHS = (130, 76, 76, 100, 76, 104)
_ROW_HEIGHT = 40


class ColumnModel(RecordModel[PreviewColumn]):
    """One row per column of the table."""

    def __init__(self) -> None:
        tip = tr("Its name in the table")
        text = tr("Findings about the column, such as leaks or odd values")
        super().__init__(
            (
                _make_column(tr("Column"), lambda column: column.name, tip, is_target=True),
                _make_column(
                    tr("Used as"),
                    lambda column: tr(ROLE_WORDS[column.role]),
                    tr("Role of the column"),
                    is_target=True,
                ),
                _make_column(
                    tr("Kind"),
                    lambda column: tr(KIND_WORDS[column.kind]),
                    tr("Numbers, words, dates or text"),
                ),
                _make_column(
                    tr("Values"),
                    lambda _: "",
                    tr("Distribution of its values (histogram)"),
                    accessible_text=_describe_distribution,
                ),
                _make_column(
                    tr("Different"),
                    lambda column: group_digits(column.distinct),
                    tr("Number of different values"),
                    number="distinct",
                ),
                _make_column(
                    tr("Missing"),
                    lambda column: _format_missing(column.missing, self._n_rows),
                    tr("Number of rows without a value"),
                    number="missing",
                ),
                _make_column(tr("Worth knowing"), self._describe_findings, text, warned=True),
            ),
            identify=lambda column: column.name,
        )
        self._n_rows = 0
        self._constraints: Mapping[str, Direction] = {}

    def show_preview(self, preview: Preview | None) -> None:
        """Show another preview, or none; selections stay if the columns are the same."""
        self._n_rows = 0 if preview is None else int(preview.n_rows)
        self.show(() if preview is None else preview.columns)

    def show_constraints(self, constraints: Mapping[str, Direction]) -> None:
        """Name the columns' directions of effect among what is worth knowing."""
        if constraints != self._constraints:
            self._constraints = dict(constraints)
            self.refresh_all()

    def _describe_findings(self, column: PreviewColumn) -> str:
        direction = self._constraints.get(column.name)
        constraint = "" if direction is None else tr(_EFFECTS[direction])
        return " ".join(filter(None, (constraint, *map(translate, column.warnings))))


def _make_column(
    title: str,
    text: Callable[[PreviewColumn], str],
    head_tip: str,
    *,
    accessible_text: Callable[[PreviewColumn], str] | None = None,
    number: str = "",
    is_target: bool = False,
    warned: bool = False,
) -> ColumnSpec[PreviewColumn]:
    """Return a column of the list.

    Args:
        title, text, head_tip, accessible_text: See :class:`ColumnSpec`.
        number: The attribute used as the sort key; empty to sort by text.
        is_target, warned: Whether it is coloured for the target, and for findings.
    """

    def get_colour(column: PreviewColumn) -> QColor | None:
        tokens = theme.current()
        if warned and column.is_doubtful:
            return theme.colour(tokens.warn)
        if column.role == "ignore":
            return theme.colour(tokens.muted)
        return theme.colour(tokens.accent) if is_target and column.role == "target" else None

    return ColumnSpec(
        title,
        text,
        head_tip,
        cell_tooltip=make_column_tooltip,
        accessible_text=accessible_text,
        value=lambda column: getattr(column, number) if number else text(column).lower(),
        colour=get_colour,
        is_right_aligned=bool(number),
    )


def _describe_distribution(column: PreviewColumn) -> str:
    """Describe a column's histogram for screen readers."""
    distribution = column.distribution
    return summarise_distribution(distribution) if distribution else ""


def _format_missing(missing: int, n_rows: int) -> str:
    share = format_share(missing / max(1, n_rows), 0, round_up=False)
    return f"{group_digits(missing)} ({share})" if missing else "–"


class _HistogramDelegate(QStyledItemDelegate):
    """Draws a column's histogram in its cell."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        super().paint(painter, option, index)
        column: PreviewColumn = get_record(index)
        distribution = column.distribution
        if distribution:
            tokens = theme.current()
            shade = tokens.muted if column.role == "ignore" else tokens.accent
            area = QRectF(option.rect).adjusted(8, 4, -8, -4)
            painter.save()
            paint_bars(painter, area, distribution, theme.colour(shade, 0.65))
            painter.restore()


class ColumnTable(PlainTable):
    """The list; Return or the menu key opens the menu of the selected columns."""

    choices_menu_requested = Signal(QPoint)

    def __init__(self, model: ColumnModel) -> None:
        super().__init__(_ROW_HEIGHT)
        self.proxy = QSortFilterProxyModel(self)
        self.proxy.setSourceModel(model)
        self.proxy.setFilterCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.proxy.setSortRole(VALUE_ROLE)
        self.setModel(self.proxy)
        self.setAccessibleName(tr("Columns of the table"))
        self.setSelectionBehavior(PlainTable.SelectionBehavior.SelectRows)
        self.setSelectionMode(PlainTable.SelectionMode.ExtendedSelection)
        self.setSortingEnabled(True)
        self.setWordWrap(True)
        self.setItemDelegateForColumn(_VALUES_COLUMN, _HistogramDelegate(self))
        header = self.horizontalHeader()
        header.setStretchLastSection(True)
        header.setSortIndicatorClearable(True)
        header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        for section, width in enumerate(_WIDTHS):
            min_width = compute_column_width(model.columns[section].title)
            self.setColumnWidth(section, max(theme.pixels(width), min_width))
        self.fit()
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(
            lambda where: self.choices_menu_requested.emit(self.viewport().mapToGlobal(where))
        )

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open the menu from the keyboard."""
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Menu} and self.currentIndex().isValid():
            position = self.visualRect(self.currentIndex()).bottomLeft()
            self.choices_menu_requested.emit(self.viewport().mapToGlobal(position))
        else:
            super().keyPressEvent(event)


class ColumnList(QWidget):
    """A search field, the list, and a menu for the selected columns."""

    role_requested = Signal(list, str)
    """A role was chosen: names of columns, and the role."""

    kind_requested = Signal(list, str)

    column_chosen = Signal(str)
    """A single column was selected: its name."""

    def __init__(self) -> None:
        super().__init__()
        self._names: tuple[str, ...] = ()
        self.columns = ColumnModel()
        self.table = ColumnTable(self.columns)
        self.search = kit.make_search_field(
            tr("Find a column…"),
            self.table.proxy.setFilterFixedString,
            name=tr("Find a column"),
            tip=tr("Shows the columns whose name contains this text"),
        )
        self.change_button = kit.button(
            tr("Change…"),
            lambda: self._open_menu(
                self.change_button.mapToGlobal(QPoint(0, self.change_button.height()))
            ),
            kind="quiet",
        )
        margin = (GRID, GRID // 2, GRID, GRID // 2)
        bar = kit.row((self.search, 1), self.change_button, margin=margin)
        kit.column(bar, (self.table, 1), parent=self, spacing=0)
        self.table.choices_menu_requested.connect(self._open_menu)
        self.table.selectionModel().selectionChanged.connect(lambda *_: self._on_selection_change())
        self.table.clicked.connect(lambda _: self._choose())  # also for a closed table
        self._show_selected()

    def show_preview(self, preview: Preview | None) -> None:
        """Show the columns of a preview; another table resets the filter."""
        if preview is not None and preview.names != self._names:
            self._names = preview.names
            self.search.clear()
        self.columns.show_preview(preview)
        self._show_selected()

    @property
    def selected_columns(self) -> list[PreviewColumn]:
        """The selected columns."""
        indexes = self.table.selectionModel().selectedRows()
        return [get_record(each) for each in indexes]

    def _list_names(self) -> list[str]:
        return [each.name for each in self.selected_columns]

    def _on_selection_change(self) -> None:
        self._show_selected()
        self._choose()

    def _choose(self) -> None:
        if len(self.selected_columns) == 1:
            self.column_chosen.emit(self.selected_columns[0].name)

    def _show_selected(self) -> None:
        has_columns = bool(self.selected_columns)
        self.change_button.setEnabled(has_columns)
        tip = tr("Use and kind of the selected columns")
        text = tip if has_columns else tr("Select columns in the list first")
        self.change_button.setToolTip(make_plain_tip(text))

    def _open_menu(self, position: QPoint) -> None:
        if self.selected_columns:
            menu = make_choices_menu(
                self,
                self.selected_columns,
                self.columns.records,
                lambda role: self.role_requested.emit(self._list_names(), role),
                lambda kind: self.kind_requested.emit(self._list_names(), kind),
            )
            menu.popup(position)
