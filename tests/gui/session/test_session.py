"""The session: the open document, and its restoration."""

from collections.abc import Callable
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from studio.document.store import Document
from studio.errors import DocumentError
from studio.gui.session.session import Session
from studio.space.library import load

AddRun = Callable[..., int]


def test_reopening_restores_session(session: Session, tmp_path: Path, add_run: AddRun) -> None:
    session.set_note("window.run", {"budget": 7})
    session.space.replace(load("svm-rbf"), "take svm-rbf")
    run = add_run(2)
    session.close()
    assert not session.is_open
    session.open(tmp_path / "work.studio")
    assert session.read_note("window.run") == {"budget": 7}
    assert session.space.value == load("svm-rbf")
    assert session.run_selection.run_id == run
    assert len(session.runs.get_view(run).trials) == 2


def test_closed_document_clears_session(session: Session, add_run: AddRun) -> None:
    session.space.replace(load("svm-rbf"), "take svm-rbf")
    add_run(1)
    session.following.poll()
    session.close()
    assert (session.path, session.space.value) == (None, None)
    assert (session.runs.views, session.run_selection.run) == ([], None)


def test_failed_opening_keeps_document(session: Session, tmp_path: Path) -> None:
    (tmp_path / "bad.studio").write_text("no")
    previous_path = session.path
    with pytest.raises(DocumentError):
        session.open(tmp_path / "bad.studio")
    assert session.path == previous_path
    assert session.is_open


def test_opened_signal_follows_complete_read(
    session: Session, tmp_path: Path, add_run: AddRun
) -> None:
    other = tmp_path / "other.studio"
    with Document.create(other) as document:
        document.spaces.save("main", load("svm-rbf").to_json())
    run = add_run(2, other)
    states: list[object] = []
    session.document_changed.connect(
        lambda: states.append((session.path, session.space.value, list(session.runs.ids)))
    )
    session.open(other)
    assert states == [(other, load("svm-rbf"), [run])]


def test_session_take_over_keeps_selection(session: Session, add_run: AddRun, qtbot: QtBot) -> None:
    first, second = add_run(3), add_run(1)
    session.following.poll()
    session.run_selection.choose_run(first)
    session.run_selection.choose_iteration(2)
    session.run_selection.overlay(second, enabled=True)
    session.space.replace(load("svm-rbf"), "take svm-rbf")
    session.space.replace(load("dummy"), "take dummy")
    path = session.path
    later = Session()
    later.take_over(session)
    assert not session.is_open
    assert later.path == path
    assert (later.run_selection.run_id, later.run_selection.iteration) == (first, 2)
    assert [view.row.id for view in later.run_selection.overlaid_runs] == [second]
    later.space.history.undo()
    assert later.space.value == load("svm-rbf")
    later.close()
