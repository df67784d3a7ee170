"""Names of files, runs, classes and values are shown verbatim, without Qt's mnemonics."""

import ast
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QAbstractButton, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from studio.document.store import Document
from studio.gui.base.tooltips import MnemonicText, escape_mnemonics, escape_window_title
from studio.gui.drafts.run_model import RunModel
from studio.gui.pages.results.page import ResultsPage
from studio.gui.pages.results.views.decide import DecideForm
from studio.gui.pages.results.views.one_row import OneRowView
from studio.gui.session.session import Session
from studio.gui.shell.window import MainWindow
from studio.gui.widgets import kit
from studio.runs.engine import Engine
from studio.runs.inline import InlinePool
from studio.runs.settings import RunSettings, TableSource

GUI = Path(__file__).parents[2] / "studio"
NAME = "R&D [*] 50% {x}"


@pytest.fixture
def window(qtbot: QtBot, helper: Any) -> MainWindow:
    main_window = MainWindow(Session(), helper)
    qtbot.addWidget(main_window, before_close_func=lambda _: main_window.session.close())
    main_window.show()
    return main_window


@pytest.mark.parametrize("name", ["plain", "R&D", "&&", "a & b", NAME])
def test_buttons_escape_mnemonics_in_user_names(qtbot: QtBot, name: str) -> None:
    button = kit.button(name, lambda: None)
    qtbot.addWidget(button)
    assert button.shortcut().isEmpty()
    assert button.accessibleName() == name == button.text()
    assert QAbstractButton.text(button) == escape_mnemonics(name)
    button.setText(f"{name}!")
    assert button.shortcut().isEmpty() and button.text() == f"{name}!"


def test_buttons_keep_mnemonics_of_program_texts(qtbot: QtBot) -> None:
    button = kit.button(MnemonicText("&Add"), lambda: None)
    qtbot.addWidget(button)
    assert button.shortcut() == QKeySequence("Alt+A")
    assert button.accessibleName() == "Add" == button.text()


@pytest.mark.parametrize("name", ["plain", "a[*]b", "[*]", NAME])
def test_window_title_shows_name_verbatim(qtbot: QtBot, name: str) -> None:
    widget = QWidget()
    qtbot.addWidget(widget)
    widget.setWindowTitle(escape_window_title(name))
    widget.show()
    assert widget.windowHandle().title() == name


@pytest.mark.slow
def test_document_names_are_shown_verbatim(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    session = window.session
    session.create(tmp_path / f"{NAME}.studio")
    run = session.document.runs.add(NAME, {"method": "best"})
    session.following.poll()
    session.run_selection.choose_run(run)
    assert window.windowHandle().title().startswith(NAME)
    for page in ("data", "space", "run", "live", "compare", "results"):
        window.show_page(page)
        qtbot.wait(20)
    of_runs = window.bars.make_runs_menu()
    texts = [
        *(QAbstractButton.text(each) for each in window.findChildren(QAbstractButton)),
        *(each.text() for each in [*window.findChildren(QAction), *of_runs.actions()]),
    ]
    name_texts = [each for each in texts if "R&" in each]
    assert len(name_texts) >= 2
    assert [each for each in name_texts if "R&&D" not in each] == []


@pytest.mark.slow
def test_result_names_are_shown_verbatim(tmp_path: Path, helper: Any, qtbot: QtBot) -> None:
    rows = "\n".join(f"{i},{i * 7 % 11},{'R&D' if i % 3 else 'M&A'}" for i in range(90))
    (tmp_path / "t.csv").write_text(f"R&D 1,R&D 2,R&D y\n{rows}\n")
    path = tmp_path / "R&D.studio"
    source = TableSource(path=str(tmp_path / "t.csv"), target="R&D y")
    with Document.create(path) as document:
        settings = RunSettings(method="RS", budget=2, source=source)
        run = document.runs.add("R&D", settings.to_json())
        Engine(document, run, lambda _: None, InlinePool).execute_run()
    session = Session()
    session.open(path)
    page = ResultsPage(session, RunModel(session, helper), helper)
    qtbot.addWidget(page, before_close_func=lambda _: session.close())
    page.resize(1200, 800)
    page.show()
    page.views.open("one_row")
    view = page.views.get_view(OneRowView)
    qtbot.waitUntil(lambda: "orders" in view.findings.reasons_label.text())
    in_row = _raw_texts(view)
    page.views.open("decide")
    qtbot.waitUntil(lambda: "M&&A" in _raw_texts(page))
    texts = [*in_row, *_raw_texts(page)]
    unescaped_texts = [each for each in texts if "&" in each.replace("&&", "")]
    assert unescaped_texts == []


def _raw_texts(inside: QWidget) -> list[str]:
    """Return the unescaped texts of buttons."""
    return [QAbstractButton.text(each) for each in inside.findChildren(QAbstractButton)]


def test_class_name_is_shown_verbatim(qtbot: QtBot) -> None:
    form = DecideForm()
    qtbot.addWidget(form)
    form.set_classes(("R&D", "other"))
    chip = form.classes["R&D"]
    assert isinstance(chip, QPushButton)
    assert chip.text() == "R&D" and chip.shortcut().isEmpty()


PLACES_OF_TEXTS = {
    "addAction", "addMenu", "addTab", "insertTab", "setTabText", "addButton", "QAction", "QMenu",
    "QCheckBox", "QRadioButton", "QGroupBox", "QPushButton", "QToolButton", "QCommandLinkButton",
}  # fmt: skip
"""Callables with texts in which ``&`` marks a mnemonic, except the window's buttons."""

OF_NUMBERS = {"count", "share", "speed", "number"}
"""Slots filled with numbers."""

BUTTONS = {"QPushButton", "QToolButton"}


def _may_contain_name(text: ast.expr) -> bool:
    """Return whether a text may contain an unescaped external name."""
    if isinstance(text, ast.Constant | ast.Attribute):
        return not isinstance(text, ast.Constant)
    if isinstance(text, ast.IfExp):
        return _may_contain_name(text.body) or _may_contain_name(text.orelse)
    if isinstance(text, ast.Call) and isinstance(text.func, ast.Name):
        if text.func.id == "escape_mnemonics":
            return False
        if text.func.id in {"tr", "ntr"}:
            return bool({each.arg for each in text.keywords} - OF_NUMBERS)
    return True


def _texts(call: ast.Call) -> list[ast.expr]:
    """Return the possible text arguments of a call."""
    others = (ast.Lambda, ast.Subscript)
    non_text_names = {
        "self", "action", "actions", "button", "card", "menu", "page", "page_button", "parent",
        "position", "widget",
    }  # fmt: skip
    return [
        each
        for each in call.args[:2]
        if not isinstance(each, others)
        and not (isinstance(each, ast.Name) and each.id in non_text_names)
        and not (isinstance(each, ast.Constant) and not isinstance(each.value, str))
        and not ast.unparse(each).startswith(
            (
                "self.",
                "partial(",
                "plot.header.explain",
                "QMessageBox.",
                "QDialogButtonBox.",
                "role",
                "len(",
            )
        )
    ]


@pytest.mark.slow
def test_menus_tabs_and_checkboxes_escape_mnemonics() -> None:
    faults, n_calls = [], 0
    for file in [*(GUI / "gui").rglob("*.py"), *(GUI / "questions").rglob("*.py")]:
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.ClassDef):
                bases = {ast.unparse(each) for each in node.bases}
                if bases & BUTTONS and (file.name, node.name) != ("kit.py", "Button"):
                    faults.append(f"{file.name}:{node.lineno}: {node.name} is no kit.Button")
            if not isinstance(node, ast.Call):
                continue
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            if name in PLACES_OF_TEXTS:
                n_calls += 1
                faults += [
                    f"{file.name}:{each.lineno}: {ast.unparse(each)}"
                    for each in _texts(node)
                    if _may_contain_name(each)
                ]
    assert n_calls > 60
    assert faults == []


@pytest.mark.slow
def test_message_boxes_show_plain_text() -> None:
    faults = []
    for file in [*(GUI / "gui").rglob("*.py"), *(GUI / "questions").rglob("*.py")]:
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if not isinstance(node, ast.FunctionDef):
                continue
            text = ast.unparse(node)
            calls = {
                ast.unparse(each.func) for each in ast.walk(node) if isinstance(each, ast.Call)
            }
            ready = {f"QMessageBox.{way}" for way in ("warning", "question", "information",
                                                       "critical", "about")}  # fmt: skip
            if calls & ready or ("QMessageBox" in calls and "TextFormat.PlainText" not in text):
                faults.append(f"{file.name}: {node.name}")
    assert faults == []
