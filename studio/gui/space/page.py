"""The space page: the tree at the left, the chosen row and what it all means at the right."""

from pathlib import Path

from PySide6.QtCore import QStandardPaths, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QFileDialog,
    QMenu,
    QPushButton,
    QSplitter,
    QStackedLayout,
    QVBoxLayout,
    QWidget,
)

from studio.errors import StudioError
from studio.gui import kit, theme
from studio.gui.banner import Banner
from studio.gui.helper_client import HelperClient
from studio.gui.session import Session
from studio.gui.space.actions import Actions
from studio.gui.space.details import Details
from studio.gui.space.editor import EMPTY, Editor
from studio.gui.space.meaning_card import MeaningCard
from studio.gui.space.start_panel import StartPanel, fitting, predicts
from studio.gui.space.tree_view import SpaceTree
from studio.gui.theme import GRID
from studio.gui.wording import count
from studio.space.library import load

SPACES = "Search spaces (*.json);;All files (*)"
_SIDE = 352


class SpacePage(QWidget):
    """Edits the session's space.

    Parameters
    ----------
    session : Session
        Holds the space, undo and autosave.
    helper : HelperClient
        Not needed yet: everything here is quick enough for the window's own thread.
    """

    def __init__(
        self, session: Session, helper: HelperClient, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setProperty("role", "page")
        self._session = session
        self.editor = Editor(session, self)
        self.tree = SpaceTree(self.editor)
        self.actions_by_name = Actions(self.editor, self.tree, self)
        self.details = Details(self.editor)
        self.meaning = MeaningCard(self.editor)
        self.start = StartPanel(self.begin_with, lambda: self.editor.begin_with(EMPTY), self.load)
        self.banner = Banner()
        self._layers = QStackedLayout()
        self._layers.addWidget(self.start)
        self._layers.addWidget(self._build())
        column = QVBoxLayout(self)
        column.setContentsMargins(3 * GRID, 2 * GRID, 2 * GRID, 2 * GRID)
        column.setSpacing(GRID)
        column.addWidget(self.banner)
        column.addLayout(self._layers, 1)
        self.editor.refused.connect(self._say)
        self.editor.changed.connect(self._show)
        session.data_changed.connect(self._show)
        theme.notifier().changed.connect(self._theme_changed)
        self._show()

    # ---- layout

    def _build(self) -> QWidget:
        self._title = kit.ElidedLabel("", "title")
        self._facts = kit.ElidedLabel("", "muted")
        self._from_menu = QMenu(self)
        self._from_menu.aboutToShow.connect(self._fill_from)
        head = kit.row(
            kit.column(self._title, self._facts, spacing=2),
            self._with_menu("Start from", self._from_menu, "Take another space to begin with"),
            kit.button("Load JSON…", self.load, icon="open", tip="A search space kept in a file"),
            kit.button("Save JSON…", self.save, icon="save", tip="Keep the space in a file"),
        )
        head.setStretch(0, 1)
        frame, inside = kit.card(margin=0)
        inside.setContentsMargins(1, 1, 1, 1)
        inside.setSpacing(0)
        bar = QWidget()
        bar.setLayout(self._build_bar())
        inside.addWidget(bar)
        inside.addWidget(kit.hairline())
        inside.addWidget(self.tree, 1)
        page = QWidget()
        split = QSplitter(Qt.Orientation.Horizontal)
        split.setChildrenCollapsible(False)
        split.setHandleWidth(2 * GRID)
        split.addWidget(frame)
        split.addWidget(self._build_side())
        split.setStretchFactor(0, 1)
        split.setStretchFactor(1, 0)
        split.setSizes([900, _SIDE])
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2 * GRID)
        column.addLayout(head)
        column.addWidget(split, 1)
        return page

    def _build_bar(self) -> QVBoxLayout:
        actions = self.actions_by_name
        names = actions.by_name
        row = kit.row(
            self._with_menu("Add", actions.add_menu, "Add a hyperparameter (Insert)", "add"),
            self._with_menu("Learner", actions.learner_menu, "Add a ready branch", "add"),
            _line(),
            _press(names["duplicate"]),
            _press(names["remove"]),
            _press(names["up"]),
            _press(names["down"]),
            self._with_menu("Put under", actions.nest_menu, "Active only under a value (nest)"),
            _press(names["unnest"], "Take out"),
            None,
            _press(names["undo"]),
            _press(names["redo"]),
            spacing=2,
        )
        row.setContentsMargins(GRID, GRID - 2, GRID, GRID - 2)
        return kit.column(row)

    def _build_side(self) -> QWidget:
        about, upper = kit.card()
        holder = QWidget()
        inside = QVBoxLayout(holder)
        inside.setContentsMargins(0, 0, GRID, 0)
        inside.addWidget(self.details)
        upper.setContentsMargins(2 * GRID, 2 * GRID, GRID, GRID)
        upper.addWidget(kit.scrolled(holder))
        means, lower = kit.card()
        lower.addWidget(self.meaning)
        side = QSplitter(Qt.Orientation.Vertical)
        side.setChildrenCollapsible(False)
        side.setHandleWidth(2 * GRID)
        side.addWidget(about)
        side.addWidget(means)
        side.setSizes([330, 290])
        side.setMinimumWidth(_SIDE)
        return side

    def _with_menu(self, text: str, menu: QMenu, tip: str, icon: str = "") -> QPushButton:
        made = kit.button(f"{text} ▾", lambda: None, kind="quiet", icon=icon, tip=tip, name=text)
        menu.setToolTipsVisible(True)
        made.setMenu(menu)
        action = menu.menuAction()
        action.changed.connect(lambda: made.setEnabled(action.isEnabled()))
        made.setEnabled(action.isEnabled())
        return made

    # ---- showing

    def _show(self) -> None:
        space = self.editor.space
        self.start.show_task(self.editor.task)
        self._layers.setCurrentIndex(0 if space is None else 1)
        if space is not None:
            self._title.setText(space.title or space.name)
            number = count(len(space.parameters), "hyperparameter")
            self._facts.setText(f"{number}  ·  {space.summary}" if space.summary else number)

    def _fill_from(self) -> None:
        menu = self._from_menu
        menu.clear()
        for space in fitting(self.editor.task):
            action = menu.addAction(f"{space.title}  ({predicts(space)})")
            action.setToolTip(space.summary)
            action.triggered.connect(lambda _=False, key=space.key: self.begin_with(key))
        menu.addSeparator()
        menu.addAction("Empty space", lambda: self.editor.begin_with(EMPTY))

    def _say(self, text: str) -> None:
        if text:
            self.banner.say(text)
        else:
            self.banner.hide()

    def _theme_changed(self) -> None:
        self.actions_by_name.redraw_icons()
        self.tree.viewport().update()
        self.meaning.examples.viewport().update()

    # ---- spaces from elsewhere

    def begin_with(self, key: str) -> None:
        """Take a shipped space."""
        try:
            space = load(key)
        except StudioError as error:
            self.banner.say(str(error))
            return
        self.editor.begin_with(space)

    def load(self) -> None:
        """Ask for a JSON file and take its space."""
        name, _ = QFileDialog.getOpenFileName(self, "Load a search space", _home(), SPACES)
        if name:
            self.editor.load(Path(name))

    def save(self) -> None:
        """Ask for a place and write the space there as JSON."""
        space = self.editor.space
        if space is None:
            return
        offered = str(Path(_home()) / f"{space.name}.json")
        name, _ = QFileDialog.getSaveFileName(self, "Save the search space", offered, SPACES)
        if name:
            path = Path(name)
            self.editor.save(path if path.suffix else path.with_suffix(".json"))


def _press(action: QAction, words: str = "") -> QPushButton:
    """Return a tool bar button that does what an action does, while it can."""
    icon = str(action.property("icon_name") or "")
    made = kit.button(words, action.trigger, kind="quiet", icon=icon, name=action.text())

    def follow() -> None:
        made.setEnabled(action.isEnabled())
        made.setToolTip(action.toolTip())

    action.changed.connect(follow)
    follow()
    if not words:
        made.setFixedWidth(36)
    return made


def _line() -> QWidget:
    made = kit.hairline(vertical=True)
    made.setFixedHeight(20)
    return made


def _home() -> str:
    return QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
