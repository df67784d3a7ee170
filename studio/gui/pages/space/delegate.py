"""Editing in the tree's cells: text that is checked while it is typed, and drop-downs."""

from PySide6.QtCore import (
    QAbstractItemModel,
    QEvent,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QSize,
    Qt,
    QTimer,
)
from PySide6.QtGui import QKeyEvent, QPalette, QValidator
from PySide6.QtWidgets import (
    QComboBox,
    QLineEdit,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QToolTip,
    QWidget,
)

from studio.gui.base import theme
from studio.gui.pages.space.cells import COLUMNS, choices
from studio.gui.pages.space.tree_model import Index, SpaceTreeModel
from studio.gui.widgets import kit
from studio.language import tr

ROW_HEIGHT = 28


class _Checked(QValidator):
    """Keeps an editor open while its text cannot be read, and says why beside it."""

    def __init__(self, edit: QLineEdit, model: SpaceTreeModel, index: Index) -> None:
        super().__init__(edit)
        self._edit, self._model = edit, model
        self._index = QPersistentModelIndex(index)

    def validate(self, text: str, position: int) -> object:
        """Say whether the text can be taken."""
        complaint = self._model.complaint(self._index, text)
        kit.set_role(self._edit, "false" if complaint else "true", "valid")
        if complaint and self._edit.isVisible():
            below = self._edit.mapToGlobal(QPoint(0, self._edit.height()))
            QToolTip.showText(below, complaint, self._edit)
        elif QToolTip.isVisible():
            QToolTip.hideText()
        state = QValidator.State.Intermediate if complaint else QValidator.State.Acceptable
        return state, text, position


class CellDelegate(QStyledItemDelegate):
    """Gives every cell the editor that its column and kind ask for."""

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        """Return a drop-down where there is something to choose among, else a line of text."""
        model = index.model()
        assert isinstance(model, SpaceTreeModel)
        row = model.row_of(index)
        offered = [] if row is None else choices(row, index.column())
        made: QComboBox | QLineEdit
        if offered:
            made = QComboBox(parent)
            for text, words in offered:
                made.addItem(words, text)
            made.activated.connect(lambda _: self._take(made))
            # Opened once it is in place: one key or click less.
            QTimer.singleShot(0, made, made.showPopup)
        else:
            made = QLineEdit(parent)
            made.setValidator(_Checked(made, model, index))
            made.setProperty("kind", "cell")
            made.setProperty("model", model)
            made.setProperty("index", QPersistentModelIndex(index))
        made.setAccessibleName(tr(COLUMNS[index.column()].title))
        return made

    def eventFilter(self, editor: QObject, event: QEvent) -> bool:
        """Keep what cannot be read where one looks elsewhere; drop it where Escape takes it back.

        Qt takes a line's text on leaving only where its validator accepts it, and forgets others.
        """
        model, index = editor.property("model"), editor.property("index")
        if isinstance(editor, QLineEdit) and isinstance(model, SpaceTreeModel):
            if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
                if event.key() == Qt.Key.Key_Escape:
                    model.put_draft(index, None)
                    editor.setText(index.data(Qt.ItemDataRole.EditRole))
            elif event.type() == QEvent.Type.FocusOut and not editor.hasAcceptableInput():
                model.put_draft(index, editor.text())
        return super().eventFilter(editor, event)

    def _take(self, box: QComboBox) -> None:
        self.commitData.emit(box)
        self.closeEditor.emit(box)

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        """Begin with what the cell has."""
        text = index.data(Qt.ItemDataRole.EditRole)
        if isinstance(editor, QComboBox):
            editor.setCurrentIndex(editor.findData(text))
        elif isinstance(editor, QLineEdit):
            editor.setText(text)
            editor.selectAll()

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: Index) -> None:
        """Take what was typed or chosen; text that cannot be read stays, marked."""
        if isinstance(editor, QComboBox):
            if editor.currentIndex() >= 0:
                model.setData(index, editor.currentData())
        elif isinstance(editor, QLineEdit) and editor.hasAcceptableInput():
            model.setData(index, editor.text())
        elif isinstance(editor, QLineEdit) and isinstance(model, SpaceTreeModel):
            model.put_draft(index, editor.text())

    def updateEditorGeometry(
        self, editor: QWidget, option: QStyleOptionViewItem, index: Index
    ) -> None:
        """Lay the editor over its cell, wide enough for what is typed into it."""
        wanted = QRect(option.rect)
        wanted.setWidth(max(wanted.width(), theme.pixels(112)))
        editor.setGeometry(wanted)

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        """Keep a cell's own colour where its row is chosen."""
        super().initStyleOption(option, index)
        colour = index.data(Qt.ItemDataRole.ForegroundRole)
        if colour is not None:
            option.palette.setColor(QPalette.ColorRole.HighlightedText, colour)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Return rows of one height."""
        return QSize(super().sizeHint(option, index).width(), theme.pixels(ROW_HEIGHT))
