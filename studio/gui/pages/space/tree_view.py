"""Qt view of the tree, which keeps expansion and selection across edits."""

from math import ceil
from typing import Any

from PySide6.QtCore import (
    QAbstractItemModel,
    QEvent,
    QItemSelectionModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QSize,
    Qt,
    QTimer,
)
from PySide6.QtGui import QKeyEvent, QPainter, QPalette, QResizeEvent, QValidator
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QHeaderView,
    QLineEdit,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QToolTip,
    QTreeView,
    QWidget,
)

from studio.gui.base import theme
from studio.gui.base.theme import GRID
from studio.gui.base.tooltips import make_plain_tip
from studio.gui.pages.space import cells
from studio.gui.pages.space.cells import COLUMNS, DEFAULT, EXAMPLE, KIND, NAME, SCALE, VALUES
from studio.gui.pages.space.editor import SpaceEditor
from studio.gui.pages.space.outline import RowKey
from studio.gui.pages.space.tree_model import Index, SpaceTreeModel
from studio.gui.widgets import kit
from studio.language import tr

_COLUMN_WIDTHS = {KIND: 112, VALUES: 144, SCALE: 56, DEFAULT: 104, EXAMPLE: 88}
_HIDDEN_COLUMNS = (EXAMPLE, SCALE, KIND, DEFAULT)
"""Columns hidden in this order if space is scarce; the panel and tooltips also show them."""

_MIN_NAME_WIDTH = 188
"""Minimum width in pixels of the names, which are indented and identify the rows."""

_OFFSET = 20
_BAR_WIDTH = 3
_ROW_HEIGHT = 28


class SpaceTree(QTreeView):
    """The tree view of the Space page."""

    def __init__(self, editor: SpaceEditor) -> None:
        super().__init__()
        self._editor = editor
        self._collapsed_keys: dict[RowKey, bool] = {}
        self._restoring = False
        self._automatic_widths: dict[int, int] = {}
        self.space_model = SpaceTreeModel(editor, self)
        self.setModel(self.space_model)
        placeholder = tr(
            "Nothing to search yet. Add a learner with its settings, or a hyperparameter."
        )
        self._hint_label = kit.label(placeholder, "muted", wrap=True)
        self._hint_label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._hint_label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        kit.column(self._hint_label, parent=self.viewport(), margin=2 * GRID)
        self.setItemDelegate(_CellDelegate(self))
        self.setAccessibleName(tr("Hyperparameters"))
        self.setAllColumnsShowFocus(True)
        self.setUniformRowHeights(True)
        self.setIndentation(_OFFSET)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setDragDropMode(QAbstractItemView.DragDropMode.DragDrop)
        self.setDefaultDropAction(Qt.DropAction.MoveAction)
        triggers = QAbstractItemView.EditTrigger
        self.setEditTriggers(triggers.DoubleClicked | triggers.EditKeyPressed)
        header = self.header()
        header.setStretchLastSection(False)
        self._resize_columns()
        header.setSectionResizeMode(NAME, QHeaderView.ResizeMode.Stretch)
        header.setSectionsMovable(False)
        header.setMinimumSectionSize(48)
        self.expanded.connect(lambda index: self._store_expansion(index, folded=False))
        self.collapsed.connect(lambda index: self._store_expansion(index, folded=True))
        self.space_model.modelReset.connect(self._restore_expansion)
        self.selectionModel().selectionChanged.connect(self._report_selection)
        self.selectionModel().currentChanged.connect(self._report_selection)
        editor.current_row_changed.connect(self._show_selection)
        editor.name_requested.connect(self.edit_name)
        editor.example_chosen.connect(self.scroll_to_highlight)
        # The model signals changed cells, but the highlight extends to the adjacent branches.
        editor.meaning_changed.connect(self.viewport().update)
        self._restore_expansion()

    def _resize_columns(self) -> None:
        """Set the columns' widths; if names lack space, narrow or hide other columns."""
        for column in _COLUMN_WIDTHS:
            self.setColumnHidden(column, False)  # a hidden column has no width
        min_widths = {column: self.header().sectionSizeHint(column) for column in _COLUMN_WIDTHS}
        preferred_widths = {
            column: max(theme.pixels(_COLUMN_WIDTHS[column]), width)
            for column, width in min_widths.items()
        }
        min_widths[KIND] = max(min_widths[KIND], self.sizeHintForColumn(KIND))
        preferred_widths[KIND] = max(preferred_widths[KIND], min_widths[KIND])
        available = self.viewport().width() - theme.pixels(_MIN_NAME_WIDTH)
        for column in _HIDDEN_COLUMNS:
            if sum(min_widths.values()) > available:
                self.setColumnHidden(column, True)
                del min_widths[column], preferred_widths[column]
        excess = sum(preferred_widths.values()) - available
        spare = sum(preferred_widths.values()) - sum(min_widths.values())
        share = min(1.0, max(0, excess) / max(1, spare))
        for column, width in preferred_widths.items():
            self.setColumnWidth(column, width - ceil(share * (width - min_widths[column])))
        self.setColumnWidth(VALUES, self.columnWidth(VALUES) + max(0, -excess) // 3)
        self._automatic_widths = {column: self.columnWidth(column) for column in _COLUMN_WIDTHS}

    def redraw(self) -> None:
        """Apply the current colours and type size."""
        self._resize_columns()
        self.scheduleDelayedItemsLayout()
        self.viewport().update()

    # ---- expansion and selection

    def edit_name(self) -> None:
        """Start renaming the selected row."""
        self.setFocus()
        index = self.space_model.get_index(self._editor.current_row)
        if index.isValid() and index.flags() & Qt.ItemFlag.ItemIsEditable:
            self.scrollTo(index)
            self.edit(index)

    def _store_expansion(self, index: QModelIndex, *, folded: bool) -> None:
        row = self.space_model.get_row(index)
        if row is not None and not self._restoring:
            self._collapsed_keys[row.key] = folded

    def _restore_expansion(self) -> None:
        outline = self._editor.outline
        self._hint_label.setVisible(not outline.rows)
        self._restoring = True
        # One layout for all open rows, then the few that are collapsed.
        self.expandAll()
        for row in outline.rows:
            children = outline.get_children(row)
            # Values without dependents are initially collapsed.
            is_flat = row.rule is None and not any(outline.children[number] for number in children)
            if children and self._collapsed_keys.get(row.key, is_flat):
                self.collapse(self.space_model.get_index(row))
        self._restoring = False
        self._fit_columns()
        self._show_selection()
        self._report_selection()

    def _show_selection(self) -> None:
        index = self.space_model.get_index(self._editor.current_row)
        current = self.currentIndex()
        if index.isValid() and current.isValid() and current.siblingAtColumn(NAME) == index:
            return
        self._restoring = True
        flags = QItemSelectionModel.SelectionFlag
        self.selectionModel().setCurrentIndex(index, flags.ClearAndSelect | flags.Rows)
        self._restoring = False
        if index.isValid():
            n_children = self.space_model.rowCount(index)
            if n_children and self.isExpanded(index):
                # Scroll to a new branch and its settings, if possible.
                self.scrollTo(self.space_model.index(n_children - 1, NAME, index))
            self.scrollTo(index)

    def _report_selection(self) -> None:
        if self._restoring:
            return
        # Not selectedRows(): it queries the model for each ancestor of each cell.
        selection: Any = self.selectionModel().selection()
        indices = (
            self.space_model.index(number, NAME, each.parent())
            for each in selection
            for number in range(each.top(), each.bottom() + 1)
        )
        rows = map(self.space_model.get_row, indices)
        current = self.space_model.get_row(self.currentIndex()) or self._editor.current_row
        keys = dict.fromkeys(row.key for row in rows if row is not None)
        self._editor.select_row(None if current is None else current.key, tuple(keys))

    def scroll_to_highlight(self) -> None:
        """Scroll to the highlighted part of the example."""
        rows = [self._editor.outline.rows[number] for number in sorted(self._editor.highlighted)]
        nested = [row for row in rows if row.parent is not None]
        for row in (*nested[::-1], *nested[:1]):
            self.scrollTo(self.space_model.get_index(row))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_columns()

    def _fit_columns(self) -> None:
        """Set the columns' widths, unless the user has set them and names have enough space."""
        widths = {column: self.columnWidth(column) for column in _COLUMN_WIDTHS}
        is_narrow = self.viewport().width() - sum(widths.values()) < theme.pixels(_MIN_NAME_WIDTH)
        if is_narrow or widths == self._automatic_widths:
            self._resize_columns()

    def drawRow(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Highlight the part that the selected example activates."""
        if self.space_model.is_highlighted(index):
            paint_highlight(painter, option.rect)
        super().drawRow(painter, option, index)


def paint_highlight(painter: QPainter, rect: QRect) -> None:
    """Mark a row of the selected example."""
    tokens = theme.current()
    painter.fillRect(rect, theme.colour(tokens.good, 0.14 if tokens.is_dark else 0.08))
    painter.fillRect(rect.x(), rect.y(), _BAR_WIDTH, rect.height(), theme.colour(tokens.good))


class _ValidatingEditor(QValidator):
    """Keeps an editor open while its text is invalid, and shows the problem beside it."""

    def __init__(self, edit: QLineEdit, model: SpaceTreeModel, index: Index) -> None:
        super().__init__(edit)
        self._edit, self.model, self.index = edit, model, QPersistentModelIndex(index)

    def validate(self, text: str, position: int) -> object:
        problem = self.model.find_problem(self.index, text)
        kit.set_role(self._edit, "false" if problem else "true", "valid")
        if problem and self._edit.isVisible():
            tip_position = self._edit.mapToGlobal(QPoint(0, self._edit.height()))
            QToolTip.showText(tip_position, make_plain_tip(problem), self._edit)
        elif QToolTip.isVisible():
            QToolTip.hideText()
        state = QValidator.State.Intermediate if problem else QValidator.State.Acceptable
        return state, text, position


class _CellDelegate(QStyledItemDelegate):
    """Creates the editor for each column and kind."""

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        """Return a drop-down if there are choices, else a text field."""
        model = index.model()
        assert isinstance(model, SpaceTreeModel)
        row = model.get_row(index)
        options = [] if row is None else cells.list_choices(row, index.column())
        editor: QComboBox | QLineEdit
        if options:
            editor = QComboBox(parent)
            for text, label in options:
                editor.addItem(label, text)
            editor.activated.connect(lambda _: self.commitData.emit(editor))
            editor.activated.connect(lambda _: self.closeEditor.emit(editor))
            # Opened after its insertion, which saves a key press or click.
            QTimer.singleShot(0, editor, editor.showPopup)
        else:
            editor = QLineEdit(parent)
            editor.setValidator(_ValidatingEditor(editor, model, index))
            editor.setProperty("kind", "cell")
        editor.setAccessibleName(tr(COLUMNS[index.column()].title))
        return editor

    def eventFilter(self, editor: QObject, event: QEvent) -> bool:
        """Store invalid input on loss of focus, when Qt discards it; drop it on Escape."""
        validator = editor.validator() if isinstance(editor, QLineEdit) else None
        if isinstance(editor, QLineEdit) and isinstance(validator, _ValidatingEditor):
            model, index = validator.model, validator.index
            if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
                if event.key() == Qt.Key.Key_Escape:
                    model.store_draft(index, None)
                    editor.setText(index.data(Qt.ItemDataRole.EditRole))
            elif event.type() == QEvent.Type.FocusOut and not editor.hasAcceptableInput():
                model.store_draft(index, editor.text())
        return super().eventFilter(editor, event)

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        text = index.data(Qt.ItemDataRole.EditRole)
        if isinstance(editor, QComboBox):
            editor.setCurrentIndex(editor.findData(text))
        elif isinstance(editor, QLineEdit):
            editor.setText(text)
            editor.selectAll()

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: Index) -> None:
        """Apply the input; invalid text is kept and marked."""
        if isinstance(editor, QComboBox):
            if editor.currentIndex() >= 0:
                model.setData(index, editor.currentData())
        elif isinstance(editor, QLineEdit) and editor.hasAcceptableInput():
            model.setData(index, editor.text())
        elif isinstance(editor, QLineEdit) and isinstance(model, SpaceTreeModel):
            model.store_draft(index, editor.text())

    def updateEditorGeometry(
        self, editor: QWidget, option: QStyleOptionViewItem, index: Index
    ) -> None:
        """Place the editor over its cell, wide enough for its input."""
        geometry = QRect(option.rect)
        geometry.setWidth(max(geometry.width(), theme.pixels(112)))
        editor.setGeometry(geometry)

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        """Keep the colour of a cell when its row is selected."""
        super().initStyleOption(option, index)
        colour = index.data(Qt.ItemDataRole.ForegroundRole)
        if colour is not None:
            option.palette.setColor(QPalette.ColorRole.HighlightedText, colour)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(super().sizeHint(option, index).width(), theme.pixels(_ROW_HEIGHT))
