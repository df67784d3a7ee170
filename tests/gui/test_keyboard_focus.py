"""The focus moves to a nearby widget when its widget disappears."""

from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QPushButton, QWidget
from pytestqt.qtbot import QtBot

from studio.data.description import ColumnRemedy, Finding
from studio.gui.base.command_job import CommandJob, JobTracker
from studio.gui.drafts import decisions
from studio.gui.drafts.data_model import DataModel
from studio.gui.pages.data.finding_display import DisplayedFinding
from studio.gui.pages.data.findings import FindingList
from studio.gui.pages.results.cards.job_line import JobLine
from studio.gui.session.session import Session
from studio.gui.widgets import kit
from studio.gui.widgets.keyboard_focus import clear_focus_and_hover


def make_framed(qtbot: QtBot, *inside: QWidget) -> QWidget:
    """Return a window with a button as first focus candidate."""
    window = QWidget()
    qtbot.addWidget(window)
    kit.column(QPushButton("document"), kit.make_card(*inside), parent=window)
    window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    return window


def test_focus_moves_to_next_remedy(
    qtbot: QtBot, session: Session, helper: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    remedy = ColumnRemedy("role", "group", "keeps rows together")
    finding_pair = [Finding("group", "idea", "often", (remedy,), (name,)) for name in ("a", "b")]
    findings, below = FindingList(DataModel(session, helper)), QPushButton("below")
    window = make_framed(qtbot, findings, below)
    findings.show_notes([DisplayedFinding("often", each) for each in finding_pair])
    monkeypatch.setattr(
        decisions,
        "apply_remedy",
        lambda _, done, __: findings.show_notes(
            [DisplayedFinding("often", each) for each in finding_pair if each != done]
        ),
    )
    first = findings.findChild(QPushButton)
    assert first is not None
    first.setFocus()
    qtbot.keyClick(first, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: window.focusWidget() is not first and has_focus(findings))
    findings.show_notes([])
    qtbot.waitUntil(lambda: window.focusWidget() is below)


def has_focus(inside: QWidget) -> bool:
    """Return whether a widget or one of its children has the focus."""
    return inside.isAncestorOf(inside.window().focusWidget())


def test_focus_moves_to_result_of_finished_job(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(CommandJob, "start", lambda _: None)
    job_tracker = JobTracker()
    line, answer = JobLine(job_tracker, "progress"), kit.label("", selectable=True)
    window = make_framed(qtbot, line, answer)

    def show_answer(_: dict[str, Any]) -> None:
        line.show_text("")
        answer.setText("twice the rows would help")

    line.run(["learning-curve"], show_answer, "begin")
    assert window.focusWidget() is line.stop_button
    assert job_tracker.job is not None
    job_tracker.job.done.emit({})
    assert window.focusWidget() is answer


def test_focus_moves_from_hidden_button(qtbot: QtBot) -> None:
    before, after = QPushButton("bars"), QPushButton("effect")
    more = kit.button("5 more columns", lambda: None, kind="link")
    more.clicked.connect(more.hide)
    window = make_framed(qtbot, before, more, after)
    more.setFocus()
    qtbot.keyClick(more, Qt.Key.Key_Space)
    assert window.focusWidget() is after
    more.show()
    after.hide()
    more.setFocus()
    qtbot.keyClick(more, Qt.Key.Key_Space)
    assert window.focusWidget() is before


def test_new_content_resets_focus_and_hover(qtbot: QtBot) -> None:
    page, button = QWidget(), kit.button("Choose a table…", lambda: None)
    kit.column(button, parent=page)
    window = make_framed(qtbot, page)
    button.setFocus()
    QCursor.setPos(window.mapToGlobal(QPoint(-9, -9)))  # an earlier test may have left it there
    button.setAttribute(Qt.WidgetAttribute.WA_UnderMouse, True)
    assert page.focusWidget() is button
    clear_focus_and_hover(page)
    assert window.focusWidget() is not button
    assert page.focusWidget() is None, "it would have the focus again when the page is shown"
    assert not button.underMouse()


def test_phase_progress_is_a_fraction(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CommandJob, "start", lambda _: None)
    job_tracker = JobTracker()
    line = JobLine(job_tracker, "progress")
    window = make_framed(qtbot, line)
    assert window.isVisible()
    line.run(["report"], lambda _: None, "begin")
    assert job_tracker.job is not None
    job_tracker.job.progress.emit("Shuffling columns, repetition 2 of 5…", 27, 100)
    assert "27 %" in line.message_label.text() and "of 100" not in line.message_label.text()
    job_tracker.job.progress.emit("Training", 3, 8)
    assert "3 of 8" in line.message_label.text()
