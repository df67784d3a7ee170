"""Runs of a comparison cannot be extended outside of it."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from studio.cli.entry import main
from studio.gui.pages.results.cards.continue_card import ContinueCard
from studio.gui.session.control import increase_budget
from studio.gui.session.session import Session

PutStudy = Callable[..., dict[tuple[str, str, int], int]]


def test_run_of_comparison_cannot_be_extended(
    session: Session, put_study: PutStudy, qtbot: QtBot
) -> None:
    cell = put_study(session.document)["one", "RS", 1]
    free = session.document.runs.add("free", {"method": "RS", "budget": 4, "metric": "error"})
    session.document.runs.set_state(free, "stopped")
    session.following.poll()
    messages: list[str] = []
    session.control.failed.connect(messages.append)
    started: list[int] = []
    session.control.start = started.append  # type: ignore[method-assign, assignment]
    card = ContinueCard(session)
    qtbot.addWidget(card)
    for run in (cell, free):
        session.run_selection.choose_run(run)
        card.show_run(session.run_selection.run)
        qtbot.mouseClick(card.button, Qt.MouseButton.LeftButton)
        view = session.runs.get_view(run)
        session.control.send_request(run, "budget", increase_budget(view, 10))
    assert started == [free, free]
    assert session.document.runs.get(cell).settings["budget"] == 4
    (sentence,) = messages
    assert "document's comparison" in sentence
    card.edit.selectAll()
    qtbot.keyClicks(card.edit, "0")
    assert not card.button.isEnabled(), "it would continue with another number"


def test_command_cannot_extend_run_of_comparison(
    session: Session, put_study: PutStudy, capsys: pytest.CaptureFixture[str]
) -> None:
    cell = put_study(session.document)["one", "RS", 1]
    session.document.runs.change_settings(cell, {"refit": False})
    for argv in (["resume", "--budget", "9"], ["refit"]):
        command, *options = argv
        assert main([command, str(session.path), "--run", str(cell), *options]) == 2
        assert "Fork it" in capsys.readouterr().err
    assert session.document.runs.get(cell).settings["budget"] == 4
