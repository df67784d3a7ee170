"""The window's commands and their shortcuts."""

from collections import deque
from collections.abc import Callable, Iterable
from functools import cache

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from studio.gui.base import icons, menus, theme
from studio.gui.base.command import Command
from studio.gui.base.tooltips import escape_mnemonics, make_plain_tip

_MAX_ACTIONS = 30


class ActionLog:
    """Records the names of the last actions, never input or names of data."""

    def __init__(self) -> None:
        self._names: deque[str] = deque(maxlen=_MAX_ACTIONS)
        self._listener: Callable[[str], object] | None = None

    def record_action(self, name: str) -> None:
        """Record an action."""
        self._names.append(name)
        if self._listener is not None:
            self._listener(name)

    def follow(self, follower: Callable[[str], object] | None) -> None:
        """Set the listener of actions; ``None``: none."""
        self._listener = follower

    @property
    def names(self) -> tuple[str, ...]:
        """Names of recent commands, the newest last."""
        return tuple(self._names)


@cache
def get_action_log() -> ActionLog:
    """Return the action log of this process."""
    return ActionLog()


class CommandRegistry(QObject):
    """Registry of commands, with their shortcuts in the window.

    Commands on the rows of a list have their keys there
    (:class:`studio.gui.widgets.list_actions.ListActions`), not in the whole window.
    """

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._commands: dict[str, Command] = {}
        self._actions: dict[str, QAction] = {}

    def add(self, commands: Iterable[Command]) -> None:
        """Register commands; existing keys are replaced."""
        for command in commands:
            self._commands[command.key] = command
            if command.key not in self._actions:
                self._actions[command.key] = self._make_action(command.key)
            self._show_command(command)

    @property
    def commands(self) -> list[Command]:
        """All commands, in order of registration."""
        return list(self._commands.values())

    def run(self, key: str) -> bool:
        """Run a command if it is available; return whether it was."""
        command = self._commands[key]
        if not command.is_available():
            return False
        get_action_log().record_action(key)
        command.run()
        return True

    def fill(self, menu: QMenu, keys: Iterable[str]) -> None:
        """Add commands to a menu, "" for a separator; unavailable ones are disabled on opening."""
        menus.fill(menu, self._actions, keys)
        menu.aboutToShow.connect(self._refresh)
        # Enable all on closing: a disabled action would block its shortcut.
        menu.aboutToHide.connect(self._enable_all_actions)

    def _make_action(self, key: str) -> QAction:
        action = QAction(self)
        action.setObjectName(key)
        action.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
        action.triggered.connect(lambda _=False: self.run(key))
        self._window.addAction(action)
        return action

    def _show_command(self, command: Command) -> None:
        action = self._actions[command.key]
        action.setText(escape_mnemonics(command.title))
        action.setToolTip(make_plain_tip(command.tip or command.title))
        action.setShortcuts([] if command.focus_widget is not None else command.sequences)
        # Otherwise macOS would move "Settings" or "Quit" into a system menu by their names.
        action.setMenuRole(QAction.MenuRole.NoRole)
        if command.icon:
            action.setIcon(icons.make_icon(command.icon, theme.current().text))

    def _refresh(self) -> None:
        for key, action in self._actions.items():
            action.setEnabled(self._commands[key].is_available())

    def _enable_all_actions(self) -> None:
        for action in self._actions.values():
            action.setEnabled(True)
