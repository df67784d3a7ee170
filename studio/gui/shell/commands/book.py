"""The window's commands and their shortcuts."""

from collections import deque
from collections.abc import Callable, Iterable
from functools import cache

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from studio.gui.base import icons, menus, theme
from studio.gui.base.command import Command
from studio.gui.base.tips import plain_tip

_LENGTH = 30


class Trail:
    """Remembers the names of the last actions; never what was typed or which data was used."""

    def __init__(self) -> None:
        self._names: deque[str] = deque(maxlen=_LENGTH)
        self._follower: Callable[[str], object] | None = None

    def note(self, name: str) -> None:
        """Remember that this was done."""
        self._names.append(name)
        if self._follower is not None:
            self._follower(name)

    def follow(self, follower: Callable[[str], object] | None) -> None:
        """Pass each action to this function from now on; ``None``: to no one."""
        self._follower = follower

    @property
    def names(self) -> tuple[str, ...]:
        """Names of recent commands, the newest last."""
        return tuple(self._names)


@cache
def trail() -> Trail:
    """Return the one trail of this process."""
    return Trail()


class CommandBook(QObject):
    """Holds every command and makes their shortcuts work in the window.

    Commands on the rows of a list have their keys there
    (:class:`studio.gui.widgets.list_actions.ListActions`), not in the whole window.

    Args:
        window: Where the shortcuts hold.
    """

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._commands: dict[str, Command] = {}
        self._actions: dict[str, QAction] = {}

    def add(self, commands: Iterable[Command]) -> None:
        """Take commands in; one of a key that is known replaces it."""
        for command in commands:
            self._commands[command.key] = command
            if command.key not in self._actions:
                self._actions[command.key] = self._make(command.key)
            self._show_command(command)

    @property
    def commands(self) -> list[Command]:
        """All commands, in the order in which they were added."""
        return list(self._commands.values())

    def run(self, key: str) -> bool:
        """Do it if it is possible now; return whether it was."""
        command = self._commands[key]
        if not command.possible():
            return False
        trail().note(key)
        command.run()
        return True

    def fill(self, menu: QMenu, keys: Iterable[str]) -> None:
        """Put commands into a menu, "" for a line between them; it greys what is impossible."""
        menus.fill(menu, self._actions, keys)
        menu.aboutToShow.connect(self._refresh)
        # Once closed, everything is on again: a disabled action would not hear its shortcut.
        menu.aboutToHide.connect(self._enable_all)

    def _make(self, key: str) -> QAction:
        action = QAction(self)
        action.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
        action.triggered.connect(lambda _=False: self.run(key))
        self._window.addAction(action)
        return action

    def _show_command(self, command: Command) -> None:
        action = self._actions[command.key]
        action.setText(command.title)
        action.setToolTip(plain_tip(command.tip or command.title))
        action.setShortcuts([] if command.home is not None else command.sequences)
        # Elsewhere Qt would move "Settings" or "Quit" into a menu of the system by their names.
        action.setMenuRole(QAction.MenuRole.NoRole)
        if command.icon:
            action.setIcon(icons.icon(command.icon, theme.current().text))

    def _refresh(self) -> None:
        for key, action in self._actions.items():
            action.setEnabled(self._commands[key].possible())

    def _enable_all(self) -> None:
        for action in self._actions.values():
            action.setEnabled(True)
