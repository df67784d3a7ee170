"""Actions on the selected rows of a list, for keys, menus and buttons."""

from collections.abc import Iterable

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QPushButton, QWidget

from studio.gui.base import icons, menus, theme
from studio.gui.base.command import Command, append_shortcut
from studio.gui.base.tooltips import escape_mnemonics, make_plain_tip, strip_mnemonics
from studio.gui.widgets import kit


class ListActions(QObject):
    """An action per command, with shortcuts while the list has the focus."""

    def __init__(self, parent: QWidget, commands: Iterable[Command]) -> None:
        super().__init__(parent)
        self._commands = {each.key: each for each in commands}
        self._actions = {
            key: self._make_action(each, parent) for key, each in self._commands.items()
        }
        theme.get_notifier().changed.connect(self._draw_icons)
        self._draw_icons()
        self.refresh()

    def _make_action(self, command: Command, home: QWidget) -> QAction:
        action = QAction(escape_mnemonics(command.title), self)
        action.setShortcuts(command.sequences)
        action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        action.setToolTip(
            make_plain_tip(append_shortcut(command.tip or command.title, action.shortcut()))
        )
        action.triggered.connect(lambda _=False: command.run())
        home.addAction(action)
        return action

    def refresh(self) -> None:
        """Enable the actions possible for the selected rows."""
        for key, action in self._actions.items():
            action.setEnabled(self._commands[key].is_enabled())

    def __getitem__(self, key: str) -> QAction:
        return self._actions[key]

    def fill(self, menu: QMenu, keys: Iterable[str]) -> None:
        """Add actions to a menu, "" for a separator."""
        menu.setToolTipsVisible(True)
        menus.fill(menu, self._actions, keys)

    def make_button(self, key: str, text: str = "", *, kind: str = "") -> QPushButton:
        """Return a button for an action; without text it shows the icon alone."""
        return make_button(self._actions[key], text, icon=self._commands[key].icon, kind=kind)

    def _draw_icons(self) -> None:
        for key, action in self._actions.items():
            if name := self._commands[key].icon:
                action.setIcon(icons.make_icon(name))


def make_button(action: QAction, text: str = "", *, icon: str = "", kind: str = "") -> QPushButton:
    """Return a button (see :func:`kit.button`) that follows an action's state."""
    button = kit.button(
        text, action.trigger, kind=kind, icon=icon, name=text or strip_mnemonics(action.text())
    )

    def follow() -> None:
        button.setEnabled(action.isEnabled())
        name, tip = strip_mnemonics(action.text()), action.toolTip()  # plain already
        has_name = text or tip.startswith(name)
        button.setToolTip(action.toolTip() if has_name else make_plain_tip(f"{name}: {tip}"))

    action.changed.connect(follow)
    follow()
    return button
