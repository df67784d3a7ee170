"""The window's commands with their shortcuts."""

from collections.abc import Iterable

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from studio.gui.base import icons, theme
from studio.gui.base.command import Command
from studio.gui.shell.commands.trail import trail


class CommandBook(QObject):
    """Holds every command and makes their shortcuts work in the window.

    A page may have a shortcut of its own for the same keys (undo on the Space page): it goes
    first while that page is shown, see :meth:`give_way`.

    Parameters
    ----------
    window : QWidget
        Where the shortcuts hold.
    """

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._commands: dict[str, Command] = {}
        self._actions: dict[str, QAction] = {}
        self._given: set[str] = set()

    def add(self, commands: Iterable[Command]) -> None:
        """Take commands in; one of a key that is known replaces it."""
        for command in commands:
            self._commands[command.key] = command
            if command.key not in self._actions:
                self._actions[command.key] = self._make(command.key)
            self._dress(command)

    @property
    def commands(self) -> list[Command]:
        """All commands, in the order in which they were added."""
        return list(self._commands.values())

    def run(self, key: str) -> bool:
        """Do it if it is possible now; return whether it was."""
        command = self._commands[key]
        if not command.enabled():
            return False
        trail().note(key)
        command.run()
        return True

    def fill(self, menu: QMenu, keys: Iterable[str]) -> None:
        """Put commands into a menu, "" for a line between them; it greys what is impossible."""
        for key in keys:
            if key:
                menu.addAction(self._actions[key])
            else:
                menu.addSeparator()
        menu.aboutToShow.connect(self._refresh)
        # Once closed, everything is on again: a disabled action would not hear its shortcut.
        menu.aboutToHide.connect(self._enable_all)

    def give_way(self, page: QWidget) -> None:
        """Leave to a page the shortcuts that it has itself; while it is shown they hold anywhere.

        Two actions with the same keys would otherwise make them ambiguous, and neither be done.
        """
        self._given = set()
        for action in page.findChildren(QAction):
            if action.shortcutContext() is Qt.ShortcutContext.WidgetShortcut:
                continue  # holds in one field alone, which then has the focus
            keys = {sequence.toString() for sequence in action.shortcuts()}
            if keys & self._claimed():
                action.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
                self._given |= keys
        for command in self._commands.values():
            self._set_keys(command)

    def _claimed(self) -> set[str]:
        return {each.toString() for one in self._commands.values() for each in one.sequences}

    def _make(self, key: str) -> QAction:
        action = QAction(self)
        action.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
        action.triggered.connect(lambda _=False: self.run(key))
        self._window.addAction(action)
        return action

    def _dress(self, command: Command) -> None:
        action = self._actions[command.key]
        action.setText(command.title)
        action.setToolTip(command.tip or command.title)
        self._set_keys(command)
        # Elsewhere Qt would move "Settings" or "Quit" into a menu of the system by their names.
        action.setMenuRole(QAction.MenuRole.NoRole)
        if command.icon:
            action.setIcon(icons.icon(command.icon, theme.current().text))

    def _set_keys(self, command: Command) -> None:
        # Also for a command that is new (the palette asks for all of them as it opens): the
        # page that is shown keeps its keys.
        own = command.sequences
        kept = [each for each in own if each.toString() not in self._given]
        self._actions[command.key].setShortcuts(kept)

    def _refresh(self) -> None:
        for key, action in self._actions.items():
            action.setEnabled(self._commands[key].enabled())

    def _enable_all(self) -> None:
        for action in self._actions.values():
            action.setEnabled(True)
