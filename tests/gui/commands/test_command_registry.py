"""Commands, their shortcuts and menus."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMainWindow, QMenu
from pytestqt.qtbot import QtBot

from studio.gui.base.command import Command
from studio.gui.shell.commands.command_registry import CommandRegistry, get_action_log
from studio.gui.shell.help.panel import format_shortcuts


class CommandLog(list[str]):
    """The keys of the executed commands."""

    def command(self, key: str, shortcut: str = "", possible: bool = True) -> Command:
        """Return a command that records its execution."""
        return Command(
            key, "Group", key.title(), lambda: self.append(key), shortcut, lambda: possible
        )


@pytest.fixture
def window(qtbot: QtBot) -> QMainWindow:
    new_window = QMainWindow()
    qtbot.addWidget(new_window)
    new_window.show()
    qtbot.waitActive(new_window)
    return new_window


def test_shortcut_runs_command_and_is_recorded(window: QMainWindow, qtbot: QtBot) -> None:
    command_log = CommandLog()
    book = CommandRegistry(window)
    book.add(
        [
            command_log.command("one", "Ctrl+J; Ctrl+Shift+J"),
            command_log.command("off", "Ctrl+H", False),
        ]
    )
    qtbot.keyClick(window, Qt.Key.Key_J, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClick(
        window,
        Qt.Key.Key_J,
        Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier,
    )
    qtbot.keyClick(window, Qt.Key.Key_H, Qt.KeyboardModifier.ControlModifier)
    assert command_log == ["one", "one"]
    assert get_action_log().names[-1] == "one"


def test_command_can_be_replaced(window: QMainWindow) -> None:
    first, second = CommandLog(), CommandLog()
    book = CommandRegistry(window)
    book.add([first.command("one")])
    book.add([second.command("one")])
    assert book.run("one")
    assert (first, second) == ([], ["one"])
    assert len(book.commands) == 1


def test_menu_disables_unavailable_commands(window: QMainWindow) -> None:
    command_log = CommandLog()
    book = CommandRegistry(window)
    book.add([command_log.command("off", "Ctrl+H", False)])
    menu = QMenu(window)
    book.fill(menu, ["off", ""])
    action = menu.actions()[0]
    menu.aboutToShow.emit()
    assert not action.isEnabled()
    menu.aboutToHide.emit()
    assert action.isEnabled()


def test_shortcut_list_has_groups_and_keys() -> None:
    command_log = CommandLog()
    text = format_shortcuts([command_log.command("one", "Ctrl+J"), command_log.command("two")])
    assert "## Group" in text and "| One | **Ctrl+J** |" in text and "Two" not in text
