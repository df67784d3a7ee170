"""Commands of the tree, for palette, shortcuts, tool bar and menus."""

from collections.abc import Callable, Iterator
from functools import partial

from PySide6.QtCore import QObject, QPoint, Qt, Signal
from PySide6.QtGui import QAction, QGuiApplication, QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

from studio.gui.base import icons
from studio.gui.base.command import REMOVE_KEYS, Command, append_shortcut
from studio.gui.base.menus import make_temporary_menu
from studio.gui.base.tooltips import escape_mnemonics, make_plain_tip
from studio.gui.pages.space import branches, edits, moves
from studio.gui.pages.space.editor import SpaceEditor
from studio.gui.pages.space.outline import OutlineRow
from studio.gui.pages.space.tree_view import SpaceTree
from studio.gui.session.learner_names import get_learner_name
from studio.gui.widgets.list_actions import ListActions
from studio.language import tr, translate
from studio.space.choices import Categorical

_MENU = (
    "space.nest", "space.unnest", "",
    "space.cut", "space.copy", "space.paste", "",
    "space.rename", "space.duplicate", "space.up", "space.down", "space.remove", "",
    "space.expand", "space.collapse",
)  # fmt: skip


class TreeActions(QObject):
    """Commands on the tree's rows while the tree has the focus, with their actions and menus."""

    learner_requested = Signal()
    setting_requested = Signal(str)
    """Adding a learner, or a setting of this learner, was requested."""

    def __init__(self, editor: SpaceEditor, tree: SpaceTree, page: QWidget) -> None:
        super().__init__(page)
        self._editor, self._tree = editor, tree
        self.commands = tuple(self._make_commands())
        self.tree_commands = ListActions(tree, self.commands)
        self.undo, self.redo = QAction(self), QAction(self)
        history = editor.session.space.history
        self.undo.triggered.connect(history.undo)
        self.redo.triggered.connect(history.redo)
        self.add_menu = QMenu(tr("Add"), page)
        for kind, text in edits.KINDS.items():
            self.add_menu.addAction(escape_mnemonics(translate(text)), partial(editor.add, kind))
        self.tree_commands.fill(self.add_menu, ["", "space.setting", "space.value"])
        tree.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        tree.customContextMenuRequested.connect(self._show_menu)
        editor.changed.connect(self.refresh)
        editor.current_row_changed.connect(self.refresh)
        self.refresh()

    def _make_commands(self) -> Iterator[Command]:
        editor, tree, standard = self._editor, self._tree, QKeySequence.StandardKey
        command, group = partial(Command, focus_widget=tree), tr("Search space")
        yield command(
            "space.add", group, tr("Add a hyperparameter…"), self._open_add_menu, "Insert",
            lambda: editor.space is not None, "add",
            search_terms=tr("new parameter setting range choice"),
        )  # fmt: skip
        yield command(
            "space.value", group, tr("Add a value"), editor.add_value, "Alt+Insert",
            self._make_single_condition(lambda row: isinstance(row.parameter, Categorical)),
            tip=tr("To the choice"),
        )  # fmt: skip
        yield command(
            "space.learner", group, tr("Find a learner and add it…"), self.learner_requested.emit,
            icon="add", tip=tr("As a ready branch, with its settings"),
            search_terms=tr("algorithm model estimator"),
        )  # fmt: skip
        yield command(
            "space.setting", group, tr("Add a setting of the learner…"), self._ask_setting,
            "Alt+Shift+Insert", lambda: self._learner is not None, "add",
            tip=tr("Any setting of its library, by name"),
            search_terms=tr("parameter option library"),
        )  # fmt: skip
        yield command(
            "space.rename", group, tr("Rename"), tree.edit_name, "F2",
            self._make_single_condition(_is_single_value), tip=tr("Type another name"),
        )  # fmt: skip
        yield command(
            "space.duplicate", group, tr("Duplicate"), editor.duplicate, "Ctrl+D",
            lambda: any(each.rule is None for each in editor.selected_rows), "copy",
            tip=tr("Copy it and everything below it"),
        )  # fmt: skip
        yield command(
            "space.remove", group, tr("Remove"), editor.remove, REMOVE_KEYS,
            self._can_remove, "trash",
            tip=tr("Remove it and everything below it"), search_terms=tr("delete"),
        )  # fmt: skip
        yield command(
            "space.up", group, tr("Move up"), partial(editor.step, -1), "Alt+Up",
            self._make_movable_condition(-1), "arrow-up", tip=tr("One place up"),
        )  # fmt: skip
        yield command(
            "space.down", group, tr("Move down"), partial(editor.step, 1), "Alt+Down",
            self._make_movable_condition(1), "arrow-down", tip=tr("One place down"),
        )  # fmt: skip
        yield command(
            "space.nest", group, tr("Nest under the value above"),
            self.nest_under_previous, "Alt+Right",
            self._make_single_condition(lambda _: self._find_value_above() is not None),
            tip=tr("Active only if the nearest value above it is chosen (nest)"),
            search_terms=tr("condition conditional"),
        )  # fmt: skip
        yield command(
            "space.unnest", group, tr("Move out one level"), editor.unnest, "Alt+Left",
            self._make_single_condition(
                lambda row: row.rule is None and bool(row.parameter.conditions)
            ),
            tip=tr("Active wherever the level above is (unnest)"),
            search_terms=tr("condition conditional"),
        )  # fmt: skip
        yield command(
            "space.cut", group, tr("Cut"), self.cut, standard.Cut, self._can_remove,
            tip=tr("Remove it, and keep it on the clipboard as text"),
        )  # fmt: skip
        yield command(
            "space.copy", group, tr("Copy"), self.copy, standard.Copy,
            lambda: bool(editor.selected_rows),
            tip=tr("As text, to paste here or into an e-mail"),
        )  # fmt: skip
        yield command(
            "space.paste", group, tr("Paste"), self.paste, standard.Paste,
            lambda: editor.space is not None,
            tip=tr("Branches copied here or from an e-mail"),
        )  # fmt: skip
        yield command("space.expand", group, tr("Expand all"), tree.expandAll)
        yield command("space.collapse", group, tr("Collapse all"), tree.collapseAll)

    # ---- enabled state

    def refresh(self) -> None:
        """Enable the actions that suit the selection, and name the edits to undo and redo."""
        self.tree_commands.refresh()
        history = self._editor.session.space.history
        for action, icon, word, edit_text, keys in (
            (self.undo, "undo", tr("Undo"), history.undo_text, "Ctrl+Z"),
            (self.redo, "redo", tr("Redo"), history.redo_text, "Ctrl+Shift+Z"),
        ):
            action.setIcon(icons.make_icon(icon))
            action.setEnabled(bool(edit_text))
            text = f"{word}: {edit_text}" if edit_text else word
            action.setText(escape_mnemonics(text))
            action.setToolTip(make_plain_tip(append_shortcut(text, keys)))
        if self._learner in branches.LEARNERS:
            text = tr("Add a setting of {learner}…", learner=get_learner_name(self._learner))
            self.tree_commands["space.setting"].setText(escape_mnemonics(text))

    @property
    def _learner(self) -> str | None:
        space = self._editor.space
        return None if space is None else branches.find_learner(space, self._editor.current_row)

    def _ask_setting(self) -> None:
        if self._learner is not None:
            self.setting_requested.emit(self._learner)

    def _make_single_condition(self, fits: Callable[[OutlineRow], bool]) -> Callable[[], bool]:
        """Return the condition that exactly one row is selected and satisfies ``fits``."""

        def is_possible() -> bool:
            row = self._editor.current_row
            return row is not None and len(self._editor.selected_rows) < 2 and fits(row)

        return is_possible

    def _make_movable_condition(self, step: int) -> Callable[[], bool]:
        return self._make_single_condition(
            lambda row: moves.find_neighbour(self._editor.outline, row, step) is not None
        )

    def _can_remove(self) -> bool:
        return any(map(_is_single_value, self._editor.selected_rows))

    # ---- clipboard

    def copy(self) -> None:
        """Copy the selected rows as text."""
        text = self._editor.get_copied_text()
        if text:
            QGuiApplication.clipboard().setText(text)

    def cut(self) -> None:
        """Cut the selected rows."""
        self.copy()
        self._editor.remove()

    def paste(self) -> None:
        """Paste branches from the clipboard."""
        self._editor.paste(QGuiApplication.clipboard().text())

    # ---- nesting by keyboard

    def _find_value_above(self) -> OutlineRow | None:
        """Return the nearest value row above the selected row, on the same level."""
        row, outline = self._editor.current_row, self._editor.outline
        if row is not None and row.rule is None:
            for number in reversed(outline.get_siblings(row)[: row.position]):
                if outline.children[number]:
                    return outline.rows[outline.children[number][-1]]
        return None

    def nest_under_previous(self) -> None:
        """Make the selected row depend on the last value of the choice above it."""
        parent = self._find_value_above()
        if parent is not None:
            self._editor.nest(parent)

    def _open_add_menu(self) -> None:
        rect = self._tree.visualRect(self._tree.currentIndex())
        self.add_menu.popup(self._tree.viewport().mapToGlobal(rect.bottomLeft()))

    def _show_menu(self, position: QPoint) -> None:
        self.make_context_menu().popup(self._tree.viewport().mapToGlobal(position))

    def make_context_menu(self) -> QMenu:
        """Return a menu of the selected row's actions."""
        menu = make_temporary_menu(self._tree)
        menu.addMenu(self.add_menu)
        self.tree_commands.fill(menu, ["space.learner", "space.setting"])
        self.tree_commands.fill(menu, _MENU)
        menu.addSeparator()
        menu.addAction(self.undo)
        menu.addAction(self.redo)
        return menu


def _is_single_value(row: OutlineRow) -> bool:
    """Whether a row is a hyperparameter or a single value of a choice."""
    return row.rule is None or (isinstance(row.parameter, Categorical) and row.value is not None)
