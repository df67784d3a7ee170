"""Tooltips show what a document holds as it is written, and load nothing that it names."""

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from studio.gui.base.tips import plain_tip
from studio.gui.session.session import Session
from studio.gui.shell.window import MainWindow
from studio.gui.widgets.kit import ElidedLabel
from studio.gui.widgets.records import ColumnSpec


@pytest.fixture
def window(qtbot: QtBot, helper: Any) -> MainWindow:
    made = MainWindow(Session(), helper)
    qtbot.addWidget(made, before_close_func=lambda _: made.session.close())
    made.show()
    return made


HOSTILE = "<img src='/etc/passwd'> & <b>bold</b>"


@pytest.mark.parametrize("text", ["plain", "a < b", HOSTILE, f"{HOSTILE}\nsecond"])
def test_tooltip_shows_text_verbatim(text: str) -> None:
    document = QTextDocument()
    document.setHtml(plain_tip(text))
    assert document.toPlainText() == text
    assert "<img" not in plain_tip(text) and "<b>" not in plain_tip(text)


def test_cut_labels_and_cells_of_tables_are_shown_so(qtbot: QtBot) -> None:
    label = ElidedLabel(HOSTILE)
    qtbot.addWidget(label)
    label.resize(40, 20)
    label.show()
    assert label.toolTip() == plain_tip(HOSTILE)
    assert ColumnSpec("head", lambda record: HOSTILE)._tip("record") == plain_tip(HOSTILE)


@pytest.mark.slow
def test_no_tooltip_of_the_window_is_a_documents_markup(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    session = window.session
    session.create(tmp_path / "d.studio")
    run = session.document.runs.add(HOSTILE, {"method": HOSTILE})
    session.following.poll()
    session.shown.choose_run(run)
    for page in ("data", "space", "run", "live", "compare", "results"):
        window.show_page(page)
        qtbot.wait(50)
        tips = [each.toolTip() for each in window.findChildren(QWidget)]
        assert [tip for tip in tips if "<img" in tip] == []
        assert page != "live" or any("&lt;img" in tip for tip in tips)
