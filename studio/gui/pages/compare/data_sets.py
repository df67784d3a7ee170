"""Data sets of a comparison: a list to which files and folders are added."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QAbstractItemModel, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QDragEnterEvent, QDragMoveEvent, QDropEvent, QKeyEvent
from PySide6.QtWidgets import (
    QComboBox,
    QFileDialog,
    QHeaderView,
    QMenu,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from studio.compare.study_notes import describe_choices
from studio.data.samples import list_samples
from studio.gui.base import file_filters, theme
from studio.gui.base.command import is_delete_key
from studio.gui.base.menus import make_temporary_menu, open_menu_below
from studio.gui.base.theme import GRID
from studio.gui.base.tooltips import escape_mnemonics
from studio.gui.pages.compare.targets import (
    DataEntry,
    TargetReader,
    make_data_entry_by_name,
    make_data_entry_from_file,
)
from studio.gui.widgets import kit
from studio.gui.widgets.flow import FlowLayout
from studio.gui.widgets.plain_table import PlainTable
from studio.gui.widgets.records import VALUE_ROLE, CellChange, ColumnSpec, Index, RecordModel
from studio.language import ntr, tr, translate
from studio.printable import sanitise_line

_NAME, _TARGET, _DECISIONS, _LOCATION = range(4)
_COLUMN_WIDTHS = {_NAME: (144, 240), _TARGET: (152, 240), _DECISIONS: (176, 400)}
"""Smallest and largest width of the columns, at a scale of 1; the location has the rest."""

_ROW_HEIGHT = 30
_MIN_ROWS, _MAX_ROWS = 2, 12
"""Minimum and maximum number of visible rows of the list."""


def make_columns(
    set_target: Callable[[str, str], None], target_reader: TargetReader
) -> list[ColumnSpec[DataEntry]]:
    """Return the columns of data sets: name, editable target, decisions, path."""

    def get_target(entry: DataEntry) -> str:
        if entry.target:
            return entry.target
        table_target = target_reader.get_table_target(entry)
        if table_target is None:
            return tr("guessed")
        return tr("{column} (guessed)", column=table_target.target)

    def describe_decisions(entry: DataEntry) -> str:
        leaks = target_reader.get_leaks(entry)
        count = len(leaks)
        leak_text = ntr("{count} contains the answer", "{count} contain the answer", count)
        n_texts = len(target_reader.get_texts(entry))
        text = ntr("{count} of free text", "{count} of free text", n_texts)
        open_questions = [*([leak_text] if leaks else []), *([text] if n_texts else [])]
        return ", ".join([*open_questions, *list_decisions(entry)])

    def describe_findings(entry: DataEntry) -> str:
        lines = [
            tr("{name}: {words}", name=each.columns[0], words=translate(each.sentence))
            for each in (*target_reader.get_leaks(entry), *target_reader.get_texts(entry))
        ]
        return "\n".join([*lines, *list_decisions(entry)])

    guess = tr("Double-click to choose a column. Default: “target”, otherwise the last one.")
    return [
        ColumnSpec(tr("Data set"), lambda each: each.name, colour=_get_colour),
        ColumnSpec(
            tr("To predict (target)"),
            get_target,
            cell_tooltip=lambda each: target_reader.find_problem(each) or guess,
            value=lambda each: each,
            colour=lambda each: _get_colour(
                each, quiet=not each.target, has_warning=bool(target_reader.find_problem(each))
            ),
            edit=CellChange(
                lambda each: each.target, lambda each, text: set_target(each.name, str(text))
            ),
        ),
        ColumnSpec(
            tr("Decisions"),
            describe_decisions,
            header_tooltip=tr("Decisions from the Data page, and columns still undecided"),
            cell_tooltip=describe_findings,
            colour=lambda each: _get_colour(
                each, quiet=True, has_warning=bool(target_reader.get_leaks(each))
            ),
        ),
        ColumnSpec(
            tr("Location"),
            _format_path,
            cell_tooltip=lambda each: each.location,
            colour=lambda each: _get_colour(each, quiet=True),
            is_stretched=True,
        ),
    ]


def list_decisions(entry: DataEntry) -> list[str]:
    """List the decisions about a data set's columns, with their names."""
    return [sanitise_line(translate(each)) for each in describe_choices(entry.choices)]


def _get_colour(
    entry: DataEntry, *, quiet: bool = False, has_warning: bool = False
) -> QColor | None:
    tokens = theme.current()
    if entry.is_path_unknown:
        return theme.colour(tokens.bad)
    if has_warning:
        return theme.colour(tokens.warn)
    return theme.colour(tokens.muted) if quiet else None


def _format_path(entry: DataEntry) -> str:
    if entry.is_path_unknown:
        return tr("not on this computer")
    return tr("comes with the program") if entry.is_sample else entry.location


class _TargetDelegate(QStyledItemDelegate):
    """Edits a target: a drop-down of the table's columns, once they are known."""

    def __init__(self, target_reader: TargetReader, parent: QWidget) -> None:
        super().__init__(parent)
        self._target_reader = target_reader

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        """Return an open drop-down, else a text field."""
        columns = self._target_reader.list_columns(index.data(VALUE_ROLE))
        if not columns:
            return super().createEditor(parent, option, index)
        editor = QComboBox(parent)
        editor.setAccessibleName(tr("To predict (target)"))
        editor.addItem(tr("guessed"), "")
        for name in columns:
            editor.addItem(sanitise_line(name), name)
        editor.activated.connect(lambda _: self.commitData.emit(editor))
        editor.activated.connect(lambda _: self.closeEditor.emit(editor))
        # Opened after its insertion, which saves a key press or click.
        QTimer.singleShot(0, editor, editor.showPopup)
        return editor

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        """Select the current target."""
        if isinstance(editor, QComboBox):
            target = index.data(Qt.ItemDataRole.EditRole)
            editor.setCurrentIndex(editor.findData(target))
        else:
            super().setEditorData(editor, index)

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: Index) -> None:
        """Store the selected column; a misspelt one stays until another is selected."""
        if not isinstance(editor, QComboBox):
            super().setModelData(editor, model, index)
        elif editor.currentIndex() >= 0:
            model.setData(index, editor.currentData())


class _DataTable(PlainTable):
    """The list; accepts dropped files, and removes rows on Del."""

    files_dropped = Signal(list)
    removal_requested = Signal()

    def __init__(self) -> None:
        super().__init__(_ROW_HEIGHT)
        self.setAcceptDrops(True)
        self.setDropIndicatorShown(False)
        self.fit()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        urls = event.mimeData().urls()
        self.files_dropped.emit([Path(url.toLocalFile()) for url in urls if url.isLocalFile()])
        event.acceptProposedAction()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Remove the selected data sets."""
        if is_delete_key(event):
            self.removal_requested.emit()
        else:
            super().keyPressEvent(event)


class DataSets(QWidget):
    """The list and its buttons."""

    added = Signal(list)
    """Data sets (:class:`DataEntry`) were added."""

    folder_chosen = Signal(object)
    """A folder (Path) of tables was added."""

    removed = Signal(list)
    """Data sets were removed: their names."""

    target_typed = Signal(str, str)

    open_table_requested = Signal()

    def __init__(self, target_reader: TargetReader) -> None:
        super().__init__()
        self.sets = RecordModel(
            make_columns(self.target_typed.emit, target_reader), identify=lambda each: each.name
        )
        self.table = _DataTable()
        self.table.setModel(self.sets)
        self.table.setItemDelegateForColumn(_TARGET, _TargetDelegate(target_reader, self.table))
        self.table.setAccessibleName(tr("Data sets to compare on"))
        self.table.setToolTip(tr("Drop tables or a folder here; Del removes the selection"))
        self.table.setSelectionBehavior(PlainTable.SelectionBehavior.SelectRows)
        self.table.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(_LOCATION, QHeaderView.ResizeMode.Stretch)
        self.table.files_dropped.connect(self.add_paths)
        self.table.removal_requested.connect(self._remove)
        self.files_button = kit.button(
            tr("Files…"), self._choose_files, icon="file", tip=tr("Add tables (CSV or similar)")
        )
        tip = tr("Add all tables in a folder; missing data sets are also looked up there")
        self.folder_button = kit.button(tr("Folder…"), self._choose_folder, icon="open", tip=tip)
        self.samples_button = kit.button(
            tr("Samples"),
            lambda: open_menu_below(self.samples_button, self.make_samples_menu()),
            icon="data",
            tip=tr("Add a table that comes with the program"),
        )
        tip = tr(
            "Add the table from the Data page with its current reading options, columns "
            "and constraints. The comparison has its own split. Later changes on the Data "
            "page do not carry over; add the table again."
        )
        self.open_button = kit.button(
            tr("The open table"), self.open_table_requested.emit, icon="add", tip=tip
        )
        text = tr("Remove the selected data sets")
        self.remove_button = kit.button(
            "", self._remove, icon="trash", kind="quiet", name=text, tip=text
        )
        buttons = (self.files_button, self.folder_button, self.samples_button)
        line = FlowLayout(*buttons, self.open_button, self.remove_button, gap=GRID)
        kit.column(line, self.table, parent=self)
        self.hint_label = kit.label(tr("Drop tables or a folder here"), "muted", wrap=True)
        self.hint_label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.hint_label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        QVBoxLayout(self.table.viewport()).addWidget(self.hint_label)

    def show_entries(self, entries: tuple[DataEntry, ...], *, open_table: bool) -> None:
        """Show the data sets; ``open_table``: whether an open table can be added."""
        self.sets.show(entries)
        self.sets.refresh_all()  # the target may have been guessed meanwhile
        self.table.show_rows(_MAX_ROWS, _MIN_ROWS)
        indexes = (self.sets.index(row, _DECISIONS) for row in range(self.sets.rowCount()))
        self.table.setColumnHidden(_DECISIONS, not any(each.data() for each in indexes))
        for column, (low, high) in _COLUMN_WIDTHS.items():
            needed = self.table.sizeHintForColumn(column) + GRID
            width = min(max(theme.pixels(low), needed), theme.pixels(high))
            self.table.setColumnWidth(column, width)
        self.open_button.setVisible(open_table)
        self.remove_button.setEnabled(bool(entries))
        self.hint_label.setVisible(not entries)

    def add_paths(self, paths: Sequence[Path]) -> None:
        """Add files; folders are handled by the signal's receiver."""
        files = [path for path in paths if not path.is_dir()]
        if files:
            self.added.emit([make_data_entry_from_file(each) for each in files])
        for path in paths:
            if path.is_dir():
                self.folder_chosen.emit(path)

    def make_samples_menu(self) -> QMenu:
        """Return the tables shipped with the program."""
        menu = make_temporary_menu(self)
        for sample in list_samples():
            action = partial(self.added.emit, [make_data_entry_by_name(sample.key)])
            menu.addAction(escape_mnemonics(translate(sample.title)), action)
        return menu

    def _choose_files(self) -> None:
        kinds = file_filters.get_table_filters()
        names, _ = QFileDialog.getOpenFileNames(self, tr("Add tables"), "", kinds)
        self.add_paths([Path(name) for name in names])

    def _choose_folder(self) -> None:
        name = QFileDialog.getExistingDirectory(self, tr("Add the tables of a folder"))
        if name:
            self.add_paths([Path(name)])

    def _remove(self) -> None:
        rows = {index.row() for index in self.table.selectionModel().selectedRows()}
        if rows:
            self.removed.emit([self.sets.records[row].name for row in sorted(rows)])
