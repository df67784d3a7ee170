"""The command palette, controlled by keyboard."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QMainWindow
from pytestqt.qtbot import QtBot

from studio.gui.base.command import Command
from studio.gui.shell.commands.palette import CommandPalette


@pytest.fixture
def window(qtbot: QtBot) -> QMainWindow:
    made = QMainWindow()
    made.setCentralWidget(QLineEdit())
    made.resize(900, 700)
    qtbot.addWidget(made)
    made.show()
    qtbot.waitActive(made)
    made.centralWidget().setFocus()
    return made


def palette(window: QMainWindow, done: list[str]) -> CommandPalette:
    titles = ("New document", "Open a table…", "Light or dark", "Settings…")
    commands = [Command(each, "Group", each, lambda e=each: done.append(e)) for each in titles]
    return CommandPalette(window, lambda: commands)


def test_palette_runs_command_on_return(window: QMainWindow, qtbot: QtBot) -> None:
    done: list[str] = []
    made = palette(window, done)
    made.open()
    assert made.isVisible() and made.field.hasFocus() and len(made.listed_commands) == 4
    qtbot.keyClicks(made.field, "dark")
    assert [each.title for each in made.listed_commands] == ["Light or dark"]
    qtbot.keyClick(made.field, Qt.Key.Key_Return)
    assert done == ["Light or dark"]
    assert not made.isVisible()
    assert window.centralWidget().hasFocus()


def test_palette_arrows_wrap_around(window: QMainWindow, qtbot: QtBot) -> None:
    done: list[str] = []
    made = palette(window, done)
    made.open()
    second = made.listed_commands[1].title
    qtbot.keyClick(made.field, Qt.Key.Key_Up)
    assert made.list.currentIndex().row() == 3
    qtbot.keyClick(made.field, Qt.Key.Key_Down)
    qtbot.keyClick(made.field, Qt.Key.Key_Down)
    qtbot.keyClick(made.field, Qt.Key.Key_Return)
    assert done == [second]


def test_palette_closes_on_escape_and_shortcut(window: QMainWindow, qtbot: QtBot) -> None:
    made = palette(window, [])
    made.open()
    qtbot.keyClick(made.field, Qt.Key.Key_Escape)
    assert not made.isVisible() and window.centralWidget().hasFocus()
    made.open()
    made.open()
    assert not made.isVisible()


def test_palette_without_results_shows_message(window: QMainWindow, qtbot: QtBot) -> None:
    done: list[str] = []
    made = palette(window, done)
    made.open()
    qtbot.keyClicks(made.field, "zzzz")
    assert made.empty_label.isVisible() and not made.list.isVisible()
    qtbot.keyClick(made.field, Qt.Key.Key_Return)
    assert done == []


def test_palette_fits_small_window_and_closes_on_focus_loss(
    window: QMainWindow, qtbot: QtBot
) -> None:
    made = palette(window, [])
    made.open()
    window.resize(420, 320)
    qtbot.waitUntil(lambda: window.rect().contains(made.geometry()))
    window.centralWidget().setFocus()
    qtbot.waitUntil(lambda: not made.isVisible())
