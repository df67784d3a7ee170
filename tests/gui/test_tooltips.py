"""Tooltips escape texts from documents, and load no resources named in them."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import QLineEdit, QWidget
from pytestqt.qtbot import QtBot

import studio.gui
from studio.gui.base.tooltips import make_plain_tip, put_tip_below
from studio.gui.pages.data.column_choices import make_choices_menu
from studio.gui.session.session import Session
from studio.gui.shell.window import MainWindow
from studio.gui.widgets.fields import Field
from studio.gui.widgets.kit import ElidedLabel
from studio.gui.widgets.records import ColumnSpec, RecordModel
from tests.gui.previews import column


@pytest.fixture
def window(qtbot: QtBot, helper: Any) -> MainWindow:
    main_window = MainWindow(Session(), helper)
    qtbot.addWidget(main_window, before_close_func=lambda _: main_window.session.close())
    main_window.show()
    return main_window


HOSTILE = "<img src='/etc/passwd'> & <b>bold</b>"


@pytest.mark.parametrize("text", ["plain", "a < b", HOSTILE, f"{HOSTILE}\nsecond"])
def test_tooltip_shows_text_verbatim(text: str) -> None:
    document = QTextDocument()
    document.setHtml(make_plain_tip(text))
    assert document.toPlainText() == text
    assert "<img" not in make_plain_tip(text) and "<b>" not in make_plain_tip(text)


def test_elided_texts_have_tooltips(qtbot: QtBot) -> None:
    label = ElidedLabel(HOSTILE)
    qtbot.addWidget(label)
    label.resize(40, 20)
    label.show()
    assert label.toolTip() == make_plain_tip(HOSTILE)
    assert ColumnSpec("head", lambda record: HOSTILE)._get_tip("record") == make_plain_tip(HOSTILE)


@pytest.mark.slow
def test_tooltips_escape_markup(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    session = window.session
    session.create(tmp_path / "d.studio")
    run = session.document.runs.add(HOSTILE, {"method": HOSTILE})
    session.following.poll()
    session.run_selection.choose_run(run)
    for page in ("data", "space", "run", "live", "compare", "results"):
        window.show_page(page)
        qtbot.wait(50)
        tips = [each.toolTip() for each in window.findChildren(QWidget)]
        assert [tip for tip in tips if "<img" in tip] == []
        assert page != "live" or any("&lt;img" in tip for tip in tips)


GUI = Path(studio.gui.__file__).parent

SHOWN_AS_TIP = {"setToolTip": -1, "setTabToolTip": 1}
"""Qt methods with a tooltip argument, and its position."""


def is_plain(made: ast.expr) -> bool:
    """Return whether an expression is a tooltip with escaped names.

    Texts without slots are, and so are results of :mod:`studio.gui.base.tooltips`.
    """
    if isinstance(made, ast.IfExp):
        return is_plain(made.body) and is_plain(made.orelse)
    if isinstance(made, ast.BoolOp):
        return all(map(is_plain, made.values))
    if not isinstance(made, ast.Call):
        return isinstance(made, ast.Constant)
    name = ast.unparse(made.func).split(".")[-1]
    ours = all(isinstance(each, ast.Constant) for each in made.args[:1]) and not made.keywords
    return name in {"make_plain_tip", "put_tip_below", "toolTip"} or (name == "tr" and ours)


def trees(word: str) -> Iterator[tuple[str, ast.Module]]:
    """Yield name and content of the window's files in which a word occurs."""
    for path in GUI.rglob("*.py"):
        if word in (text := path.read_text("utf-8")):
            yield path.name, ast.parse(text)


def calls(tree: ast.AST) -> list[ast.Call]:
    return [node for node in ast.walk(tree) if isinstance(node, ast.Call)]


@pytest.mark.slow
def test_tooltips_are_escaped_before_qt() -> None:
    tips = []
    for name, tree in trees("ToolTip"):
        for call in calls(tree):
            callee = ast.unparse(call.func)
            method = callee.split(".")[-1]
            if method in SHOWN_AS_TIP or callee == "QToolTip.showText":
                tips.append((name, call.args[SHOWN_AS_TIP.get(method, 1)]))
    raw = [f"{name}:{tip.lineno}: {ast.unparse(tip)}" for name, tip in tips if not is_plain(tip)]
    assert len(tips) > 60 and raw == []


def test_message_boxes_are_plain_text() -> None:
    at_once = {f"QMessageBox.{kind}" for kind in ("warning", "critical", "information", "question")}
    boxes, marked = 0, []
    for name, tree in trees("QMessageBox("):
        for function in (each for each in ast.walk(tree) if isinstance(each, ast.FunctionDef)):
            callees = {ast.unparse(call.func) for call in calls(function)}
            boxes += "QMessageBox" in callees
            plain = any(each.endswith(".setTextFormat") for each in callees)
            if "QMessageBox" in callees and not plain:
                marked.append(f"{name}: {function.name}")
    for name, tree in trees("QMessageBox."):
        marked += [name for call in calls(tree) if ast.unparse(call.func) in at_once]
    assert boxes and marked == []


def test_foreign_column_name_is_escaped(qtbot: QtBot) -> None:
    model = RecordModel([ColumnSpec(HOSTILE, lambda record: record)])
    head = model.headerData(0, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole)
    field = Field(HOSTILE, QLineEdit(), tip=HOSTILE)
    qtbot.addWidget(field)
    assert head == field.control.toolTip() == make_plain_tip(HOSTILE)
    columns = [column("a"), column("y", role="target"), column(HOSTILE, role="group")]
    menu = make_choices_menu(field, columns[:1], columns, print, print)
    tips = [action.toolTip() for action in menu.actions()]
    assert make_plain_tip(HOSTILE)[6:-7] in "".join(tips) and not any("<img" in tip for tip in tips)


def test_tooltip_with_heading_is_escaped() -> None:
    for text, tip in (("a", "b"), (HOSTILE, "b"), ("a", HOSTILE), (HOSTILE, HOSTILE)):
        document = QTextDocument()
        document.setHtml(tooltip := put_tip_below(text, make_plain_tip(tip)))
        assert (document.toPlainText() if "<" in tooltip else tooltip) == f"{text}\n{tip}"
        assert "<img" not in tooltip
