"""The command palette, controlled by keyboard."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QMainWindow
from pytestqt.qtbot import QtBot

from studio.gui.base.command import Command
from studio.gui.shell.commands.palette import CommandPalette


@pytest.fixture
def window(qtbot: QtBot) -> QMainWindow:
    new_window = QMainWindow()
    new_window.setCentralWidget(QLineEdit())
    new_window.resize(900, 700)
    qtbot.addWidget(new_window)
    new_window.show()
    qtbot.waitActive(new_window)
    new_window.centralWidget().setFocus()
    return new_window


def palette(window: QMainWindow, done: list[str]) -> CommandPalette:
    titles = ("New document", "Open a table…", "Light or dark", "Settings…")
    commands = [Command(each, "Group", each, lambda e=each: done.append(e)) for each in titles]
    return CommandPalette(window, lambda: commands)


def test_palette_runs_command_on_return(window: QMainWindow, qtbot: QtBot) -> None:
    executed_titles: list[str] = []
    command_palette = palette(window, executed_titles)
    command_palette.open()
    assert (
        command_palette.isVisible()
        and command_palette.field.hasFocus()
        and len(command_palette.listed_commands) == 4
    )
    qtbot.keyClicks(command_palette.field, "dark")
    assert [each.title for each in command_palette.listed_commands] == ["Light or dark"]
    qtbot.keyClick(command_palette.field, Qt.Key.Key_Return)
    assert executed_titles == ["Light or dark"]
    assert not command_palette.isVisible()
    assert window.centralWidget().hasFocus()


def test_palette_arrows_wrap_around(window: QMainWindow, qtbot: QtBot) -> None:
    executed_titles: list[str] = []
    command_palette = palette(window, executed_titles)
    command_palette.open()
    second = command_palette.listed_commands[1].title
    qtbot.keyClick(command_palette.field, Qt.Key.Key_Up)
    assert command_palette.list.currentIndex().row() == 3
    qtbot.keyClick(command_palette.field, Qt.Key.Key_Down)
    qtbot.keyClick(command_palette.field, Qt.Key.Key_Down)
    qtbot.keyClick(command_palette.field, Qt.Key.Key_Return)
    assert executed_titles == [second]


def test_palette_closes_on_escape_and_shortcut(window: QMainWindow, qtbot: QtBot) -> None:
    command_palette = palette(window, [])
    command_palette.open()
    qtbot.keyClick(command_palette.field, Qt.Key.Key_Escape)
    assert not command_palette.isVisible() and window.centralWidget().hasFocus()
    command_palette.open()
    command_palette.open()
    assert not command_palette.isVisible()


def test_palette_without_results_shows_message(window: QMainWindow, qtbot: QtBot) -> None:
    executed_titles: list[str] = []
    command_palette = palette(window, executed_titles)
    command_palette.open()
    qtbot.keyClicks(command_palette.field, "zzzz")
    assert command_palette.empty_label.isVisible() and not command_palette.list.isVisible()
    qtbot.keyClick(command_palette.field, Qt.Key.Key_Return)
    assert executed_titles == []


def test_palette_fits_small_window_and_closes_on_focus_loss(
    window: QMainWindow, qtbot: QtBot
) -> None:
    command_palette = palette(window, [])
    command_palette.open()
    window.resize(420, 320)
    qtbot.waitUntil(lambda: window.rect().contains(command_palette.geometry()))
    window.centralWidget().setFocus()
    qtbot.waitUntil(lambda: not command_palette.isVisible())
