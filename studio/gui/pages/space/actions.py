"""What can be done with the tree: actions with shortcuts, for the tool bar and the menus."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QObject, QPoint, Qt
from PySide6.QtGui import QAction, QGuiApplication, QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

from studio.gui.base import icons
from studio.gui.base.keys import REMOVE, with_keys
from studio.gui.base.language import mark, ntr, said, tr
from studio.gui.pages.space import branches, edits, moves
from studio.gui.pages.space.editor import Editor
from studio.gui.pages.space.outline import Row
from studio.gui.pages.space.texts import rule_text
from studio.gui.pages.space.tree_view import SpaceTree
from studio.space.choices import Categorical

_MOST_HOMES = 40


class _Made(NamedTuple):
    text: str
    icon: str
    shortcut: str | QKeySequence.StandardKey | list[QKeySequence]
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
            "rename": _Made(mark("Rename"), "", "F2", mark("Type another name"), tree.edit_name),
            "cut": _Made(
                mark("Cut"),
                "",
                standard.Cut,
                mark("Remove it, and keep it on the clipboard as text"),
                self.cut,
            ),
            "copy": _Made(
                mark("Copy"),
                "",
                standard.Copy,
                mark("As text that can be pasted here or into an e-mail"),
                self.copy,
            ),
            "paste": _Made(
                mark("Paste"),
                "",
                standard.Paste,
                mark("Branches that were copied here or from an e-mail"),
                self.paste,
            ),
            "duplicate": _Made(
                mark("Duplicate"),
                "copy",
                "Ctrl+D",
                mark("Copy it with all below it"),
                editor.duplicate,
            ),
            "remove": _Made(
                mark("Remove"),
                "trash",
                REMOVE,
                mark("Remove it with all below it"),
                editor.remove,
            ),
            "up": _Made(
                mark("Move up"),
                "arrow-up",
                "Alt+Up",
                mark("One place up"),
                lambda: editor.step(-1),
            ),
            "down": _Made(
                mark("Move down"),
                "arrow-down",
                "Alt+Down",
                mark("One place down"),
                lambda: editor.step(1),
            ),
            "nest": _Made(
                mark("Nest under the value above"),
                "",
                "Alt+Right",
                mark("Active only where the nearest value above it is chosen (nest)"),
                self.nest_above,
            ),
            "unnest": _Made(
                mark("Move out one level"),
                "",
                "Alt+Left",
                mark("Active wherever the level above is (unnest)"),
                editor.unnest,
            ),
            "value": _Made(
                mark("Add a value"), "", "Ctrl+Insert", mark("To the choice"), editor.add_value
            ),
            "undo": _Made(
                mark("Undo"), "undo", standard.Undo, "", session.space.undo, in_tree=False
            ),
            "redo": _Made(
                mark("Redo"), "redo", standard.Redo, "", session.space.redo, in_tree=False
            ),
        }.items():
            self.by_name[name] = self._make(made, tree if made.in_tree else page)
        self.add_menu = QMenu(tr("Add"), page)
        for kind, words in edits.KINDS.items():
            self.add_menu.addAction(said(words), partial(editor.add, kind))
        self.add_menu.addSeparator()
        self.add_menu.addAction(self.by_name["value"])
        self.learner_menu = QMenu(tr("Add a learner"), page)
        self.learner_menu.aboutToShow.connect(self._fill_learners)
        self.nest_menu = QMenu(tr("Put under"), page)
        self.nest_menu.aboutToShow.connect(self._fill_homes)
        insert = QAction(tr("Add…"), self)
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
        action = QAction(tr(made.text), self)
        action.setProperty("words", tr(made.text))
        if made.icon:
            action.setIcon(icons.icon(made.icon))
            action.setProperty("icon_name", made.icon)
        if isinstance(made.shortcut, str):
            action.setShortcut(QKeySequence(made.shortcut))
        else:
            action.setShortcuts(made.shortcut)
        action.setToolTip(with_keys(tr(made.tip or made.text), action.shortcut()))
        context = Qt.ShortcutContext
        inside = context.WidgetShortcut if made.in_tree else context.WidgetWithChildrenShortcut
        action.setShortcutContext(inside)
        action.triggered.connect(lambda _=False: made.do())
        where.addAction(action)
        return action

    # ---- which are possible

    def refresh(self) -> None:
        """Enable what the chosen row allows, and name what undo and redo would do."""
        row, outline, marked = self._editor.chosen, self._editor.outline, self._editor.marked
        alone = row is not None and len(marked) < 2
        own = row is not None and row.rule is None
        single = (
            row is not None and isinstance(row.parameter, Categorical) and row.value is not None
        )
        removable = any(_is_removable(each) for each in marked)
        can = {
            "rename": alone and (own or single),
            "cut": removable,
            "copy": bool(marked),
            "paste": self._editor.space is not None,
            "duplicate": any(each.rule is None for each in marked),
            "remove": removable,
            "up": alone and row is not None and moves.neighbour(outline, row, -1) is not None,
            "down": alone and row is not None and moves.neighbour(outline, row, 1) is not None,
            "nest": alone and self._home_above() is not None,
            "unnest": alone and row is not None and own and bool(row.parameter.conditions),
            "value": alone and row is not None and isinstance(row.parameter, Categorical),
        }
        session = self._editor.session
        for name, text in (("undo", session.space.undo_text), ("redo", session.space.redo_text)):
            action = self.by_name[name]
            can[name] = bool(text)
            words = str(action.property("words")) + (f": {text}" if text else "")
            action.setText(words)
            action.setToolTip(with_keys(words, action.shortcut()))
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
                inner[name] = menu.addMenu(tr("{name} is", name=name))
            inner[name].addAction(rule_text(rule), partial(self._editor.nest, home))

    def _fill_learners(self) -> None:
        menu, space = self.learner_menu, self._editor.space
        menu.clear()
        offered = branches.missing(space, self._editor.task) if space is not None else []
        known = branches.learners()
        for branch, lacking in offered:
            settings = ntr("{count} setting", "{count} settings", len(lacking))
            title = said(known[branch.learner].title)
            action = menu.addAction(
                f"{title}  ({settings})", partial(self._editor.add_branch, branch)
            )
            names = ", ".join(lacking)
            action.setToolTip(f"{branch.learner}: {names}" if names else branch.learner)
        if not offered:
            words = tr("All learners for this task are in the space")
            menu.addAction(words).setEnabled(False)

    # ---- clipboard

    def copy(self) -> None:
        """Put the chosen rows on the clipboard, as text."""
        text = self._editor.copied()
        if text:
            QGuiApplication.clipboard().setText(text)

    def cut(self) -> None:
        """Put the chosen rows on the clipboard and take them out."""
        self.copy()
        self._editor.remove()

    def paste(self) -> None:
        """Take branches from the clipboard's text."""
        self._editor.paste(QGuiApplication.clipboard().text())

    # ---- nesting by keyboard

    def _home_above(self) -> Row | None:
        """Return the value's row nearest above the chosen row, on its own level."""
        row, outline = self._editor.chosen, self._editor.outline
        if row is None or row.rule is not None:
            return None
        for number in reversed(outline.siblings(row)[: row.position]):
            below = outline.children[number]
            if below and outline.rows[below[-1]].rule is not None:
                return outline.rows[below[-1]]
        return None

    def nest_above(self) -> None:
        """Make the chosen row active only under the last value of the choice above it."""
        home = self._home_above()
        if home is not None:
            self._editor.nest(home)

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
        menu.addAction(self.by_name["nest"])
        menu.addAction(self.by_name["unnest"])
        menu.addSeparator()
        for name in ("cut", "copy", "paste"):
            menu.addAction(self.by_name[name])
        menu.addSeparator()
        for name in ("rename", "duplicate", "up", "down", "remove"):
            menu.addAction(self.by_name[name])
        menu.addSeparator()
        menu.addAction(tr("Expand all"), lambda: self._tree.fold_all(False))
        menu.addAction(tr("Collapse all"), lambda: self._tree.fold_all(True))
        menu.addSeparator()
        menu.addAction(self.by_name["undo"])
        menu.addAction(self.by_name["redo"])
        return menu


def _is_removable(row: Row) -> bool:
    return row.rule is None or (row.value is not None and isinstance(row.parameter, Categorical))
