"""Names of files, runs, classes and values are shown as they are, whatever they mean to Qt."""

import ast
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QAbstractButton, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from studio.gui.base.tips import verbatim, window_title, without_keys
from studio.gui.pages.results.views.decide import DecideForm
from studio.gui.session.session import Session
from studio.gui.shell.window import MainWindow
from studio.gui.widgets import kit

GUI = Path(__file__).parents[2] / "studio"
NAME = "R&D [*] 50% {x}"


@pytest.fixture
def window(qtbot: QtBot, helper: Any) -> MainWindow:
    made = MainWindow(Session(), helper)
    qtbot.addWidget(made, before_close_func=lambda _: made.session.close())
    made.show()
    return made


@pytest.mark.parametrize("name", ["plain", "R&D", "&&", "a & b", NAME])
def test_a_button_shows_a_name_and_gives_it_no_key(qtbot: QtBot, name: str) -> None:
    button = kit.button(verbatim(name), lambda: None)
    qtbot.addWidget(button)
    assert button.shortcut().isEmpty()
    assert button.accessibleName() == name == without_keys(button.text())


@pytest.mark.parametrize("name", ["plain", "a[*]b", "[*]", NAME])
def test_a_window_shows_a_name_in_its_title(qtbot: QtBot, name: str) -> None:
    widget = QWidget()
    qtbot.addWidget(widget)
    widget.setWindowTitle(window_title(name))
    widget.show()
    assert widget.windowHandle().title() == name


@pytest.mark.slow
def test_names_of_a_document_are_shown_as_they_are(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    session = window.session
    session.create(tmp_path / f"{NAME}.studio")
    run = session.document.runs.add(NAME, {"method": "best"})
    session.following.poll()
    session.shown.choose_run(run)
    assert window.windowHandle().title().startswith(NAME)
    for page in ("data", "space", "run", "live", "compare", "results"):
        window.show_page(page)
        qtbot.wait(20)
    of_runs = window.bars.menu_of_runs()
    texts = [
        *(each.text() for each in window.findChildren(QAbstractButton)),
        *(each.text() for each in [*window.findChildren(QAction), *of_runs.actions()]),
    ]
    shown = [each for each in texts if "R&" in each]
    assert len(shown) >= 2
    assert [each for each in shown if "R&&D" not in each] == []


def test_a_class_is_shown_as_it_is(qtbot: QtBot) -> None:
    form = DecideForm()
    qtbot.addWidget(form)
    form.offer(("R&D", "other"))
    chip = form.classes["R&D"]
    assert isinstance(chip, QPushButton)
    assert without_keys(chip.text()) == "R&D" and chip.shortcut().isEmpty()


def test_message_boxes_show_plain_text() -> None:
    wrong = []
    for file in [*(GUI / "gui").rglob("*.py"), *(GUI / "questions").rglob("*.py")]:
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if not isinstance(node, ast.FunctionDef):
                continue
            words = ast.unparse(node)
            calls = {
                ast.unparse(each.func) for each in ast.walk(node) if isinstance(each, ast.Call)
            }
            ready = {f"QMessageBox.{way}" for way in ("warning", "question", "information",
                                                       "critical", "about")}  # fmt: skip
            if calls & ready or ("QMessageBox" in calls and "TextFormat.PlainText" not in words):
                wrong.append(f"{file.name}: {node.name}")
    assert wrong == []
