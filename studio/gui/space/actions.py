"""What can be done with the tree: actions with shortcuts, for the tool bar and the menus."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QObject, QPoint, Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

from studio.gui import icons
from studio.gui.space import branches, edits, moves
from studio.gui.space.editor import Editor
from studio.gui.space.outline import Row
from studio.gui.space.texts import rule_text
from studio.gui.space.tree_view import SpaceTree
from studio.gui.wording import count
from studio.space.choices import Categorical

_MOST_HOMES = 40


class _Made(NamedTuple):
    text: str
    icon: str
    shortcut: str | QKeySequence.StandardKey
    tip: str
    do: Callable[[], object]
    in_tree: bool = True


class Actions(QObject):
    """The actions of the space page by name, kept enabled as the chosen row allows.

    Parameters
    ----------
    editor, tree : Editor, SpaceTree
        What they act on; shortcuts on rows hold while the tree has the focus.
    page : QWidget
        Where undo and redo hold.
    """

    def __init__(self, editor: Editor, tree: SpaceTree, page: QWidget) -> None:
        super().__init__(page)
        self._editor, self._tree = editor, tree
        standard = QKeySequence.StandardKey
        session = editor.session
        self.by_name: dict[str, QAction] = {}
        for name, made in {
            "rename": _Made("Rename", "", "F2", "Type another name", tree.edit_name),
            "duplicate": _Made(
                "Duplicate", "copy", "Ctrl+D", "Copy it with all below it", editor.duplicate
            ),
            "remove": _Made(
                "Remove", "trash", standard.Delete, "Remove it with all below it", editor.remove
            ),
            "up": _Made("Move up", "arrow-up", "Alt+Up", "One place up", lambda: editor.step(-1)),
            "down": _Made(
                "Move down", "arrow-down", "Alt+Down", "One place down", lambda: editor.step(1)
            ),
            "unnest": _Made(
                "Take out one level",
                "",
                "Alt+Left",
                "Active wherever the level above is (unnest)",
                editor.unnest,
            ),
            "value": _Made("Add a value", "", "Ctrl+Insert", "To the choice", editor.add_value),
            "undo": _Made("Undo", "undo", standard.Undo, "", session.undo, in_tree=False),
            "redo": _Made("Redo", "redo", standard.Redo, "", session.redo, in_tree=False),
        }.items():
            self.by_name[name] = self._make(made, tree if made.in_tree else page)
        self.add_menu = QMenu("Add", page)
        for kind, words in edits.KINDS.items():
            self.add_menu.addAction(words, partial(editor.add, kind))
        self.add_menu.addSeparator()
        self.add_menu.addAction(self.by_name["value"])
        self.learner_menu = QMenu("Add a learner", page)
        self.learner_menu.aboutToShow.connect(self._fill_learners)
        self.nest_menu = QMenu("Put under", page)
        self.nest_menu.aboutToShow.connect(self._fill_homes)
        insert = QAction("Add…", self)
        insert.setShortcut(QKeySequence("Insert"))
        insert.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        insert.triggered.connect(lambda: self.add_menu.exec(self._spot()))
        tree.addAction(insert)
        tree.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        tree.customContextMenuRequested.connect(self._show_menu)
        editor.changed.connect(self.refresh)
        editor.chosen_changed.connect(self.refresh)
        self.refresh()

    def _make(self, made: _Made, where: QWidget) -> QAction:
        action = QAction(made.text, self)
        if made.icon:
            action.setIcon(icons.icon(made.icon))
            action.setProperty("icon_name", made.icon)
        if isinstance(made.shortcut, str):
            action.setShortcut(QKeySequence(made.shortcut))
        else:
            action.setShortcuts(made.shortcut)
        key = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
        action.setToolTip(f"{made.tip or made.text} ({key})")
        context = Qt.ShortcutContext
        inside = context.WidgetShortcut if made.in_tree else context.WidgetWithChildrenShortcut
        action.setShortcutContext(inside)
        action.triggered.connect(lambda _=False: made.do())
        where.addAction(action)
        return action

    # ---- which are possible

    def refresh(self) -> None:
        """Enable what the chosen row allows, and name what undo and redo would do."""
        row, outline = self._editor.chosen, self._editor.outline
        own = row is not None and row.rule is None
        single = (
            row is not None and isinstance(row.parameter, Categorical) and row.value is not None
        )
        can = {
            "rename": own or single,
            "duplicate": own,
            "remove": own or single,
            "up": row is not None and moves.neighbour(outline, row, -1) is not None,
            "down": row is not None and moves.neighbour(outline, row, 1) is not None,
            "unnest": row is not None and own and bool(row.parameter.conditions),
            "value": row is not None and isinstance(row.parameter, Categorical),
        }
        session = self._editor.session
        for name, text in (("undo", session.undo_text), ("redo", session.redo_text)):
            action = self.by_name[name]
            key = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
            can[name] = bool(text)
            words = action.text() + (f": {text}" if text else "")
            action.setToolTip(f"{words} ({key})")
        for name, enabled in can.items():
            self.by_name[name].setEnabled(enabled)
        self.nest_menu.menuAction().setEnabled(bool(self._homes()))

    def redraw_icons(self) -> None:
        """Draw the icons in the colours of the theme in force."""
        for action in self.by_name.values():
            if action.property("icon_name"):
                action.setIcon(icons.icon(str(action.property("icon_name"))))

    # ---- menus

    def _homes(self) -> list[Row]:
        row, space = self._editor.chosen, self._editor.space
        if row is None or space is None or row.parameter.name not in space:
            return []
        return moves.homes(space, self._editor.outline, row)

    def _fill_homes(self) -> None:
        menu = self.nest_menu
        menu.clear()
        inner: dict[str, QMenu] = {}
        for home in self._homes()[:_MOST_HOMES]:
            name, rule = home.parameter.name, home.rule
            assert rule is not None
            if name not in inner:
                inner[name] = menu.addMenu(f"{name} is")
            inner[name].addAction(rule_text(rule), partial(self._editor.nest, home))

    def _fill_learners(self) -> None:
        menu, space = self.learner_menu, self._editor.space
        menu.clear()
        offered = branches.missing(space, self._editor.task) if space is not None else []
        known = branches.learners()
        for branch, lacking in offered:
            settings = count(len(lacking), "setting") if lacking else "no settings"
            text = f"{known[branch.learner].title}  ({settings})"
            action = menu.addAction(text, partial(self._editor.add_branch, branch))
            names = ", ".join(lacking)
            action.setToolTip(f"{branch.learner}: {names}" if names else branch.learner)
        if not offered:
            menu.addAction("All learners for this task are in the space").setEnabled(False)

    def _spot(self) -> QPoint:
        rect = self._tree.visualRect(self._tree.currentIndex())
        return self._tree.viewport().mapToGlobal(rect.bottomLeft())

    def _show_menu(self, where: QPoint) -> None:
        menu = self.context_menu()
        menu.exec(self._tree.viewport().mapToGlobal(where))
        menu.deleteLater()

    def context_menu(self) -> QMenu:
        """Return a menu of all that can be done with the chosen row."""
        menu = QMenu(self._tree)
        menu.addMenu(self.add_menu)
        menu.addMenu(self.learner_menu)
        menu.addMenu(self.nest_menu)
        menu.addAction(self.by_name["unnest"])
        menu.addSeparator()
        for name in ("rename", "duplicate", "up", "down", "remove"):
            menu.addAction(self.by_name[name])
        menu.addSeparator()
        menu.addAction("Expand all", lambda: self._tree.fold_all(False))
        menu.addAction("Collapse all", lambda: self._tree.fold_all(True))
        menu.addSeparator()
        menu.addAction(self.by_name["undo"])
        menu.addAction(self.by_name["redo"])
        return menu
