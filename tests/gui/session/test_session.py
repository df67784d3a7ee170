"""The open document: changes by other processes, the edited space, another window."""

from collections.abc import Callable
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from studio.document.store import Document
from studio.errors import DocumentError
from studio.gui.session.session import Session
from studio.questions.columns.answer import ColumnEffects
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
    session.column_effects["key"] = ColumnEffects(reason="none")
    path = session.path
    later = Session()
    later.take_over(session)
    assert set(later.column_effects) == {"key"}
    assert not session.is_open
    assert later.path == path
    assert (later.run_selection.run_id, later.run_selection.iteration) == (first, 2)
    assert [view.row.id for view in later.run_selection.overlaid_runs] == [second]
    later.space.history.undo()
    assert later.space.value == load("svm-rbf")
    later.close()


@pytest.mark.slow
def test_changes_of_other_processes_are_signalled(
    session: Session, add_run: AddRun, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(session.runs.trials_added) as blocker:
        run = add_run(3)
    assert blocker.args == [run]
    view = session.runs.get_view(run)
    assert [trial.number for trial in view.trials] == [1, 2, 3]
    assert [iteration.number for iteration in view.iterations] == [1, 2, 3]
    assert session.runs.views == [view]


def test_unchanged_document_emits_no_signal(
    session: Session, add_run: AddRun, qtbot: QtBot
) -> None:
    add_run()
    session.following.poll()
    with qtbot.assertNotEmitted(session.runs.changed):
        for _ in range(30):
            session.following.poll()


def test_run_removed_by_another_process_disappears(
    session: Session, add_run: AddRun, qtbot: QtBot
) -> None:
    first, second = add_run(2), add_run(2)
    session.following.poll()
    session.run_selection.choose_run(second)
    with Document.open(session.path) as other:  # type: ignore[arg-type]
        other.remove_run(second)
    with qtbot.waitSignal(session.runs.changed):
        session.following.poll()
    assert session.run_selection.run_id == first
    assert [view.row.id for view in session.runs.views] == [first]
    later = add_run(1)
    session.following.poll()
    assert [trial.number for trial in session.runs.get_view(later).trials] == [1]


def test_space_edits_can_be_undone_and_redone(session: Session, qtbot: QtBot) -> None:
    space = session.space
    assert space.value is None
    with qtbot.assertNotEmitted(space.changed):
        space.history.undo()
        space.history.redo()
    one, two = load("svm-rbf"), load("dummy")
    space.replace(one, "first")
    with qtbot.waitSignal(space.changed):
        space.replace(two, "take dummy")
    assert space.history.undo_text == "take dummy"
    space.history.undo()
    assert space.value == one
    assert space.history.redo_text == "take dummy"
    space.history.redo()
    assert space.value == two


@pytest.mark.slow
def test_space_edit_is_autosaved(session: Session, qtbot: QtBot) -> None:
    session.space.replace(load("svm-rbf"), "first")

    def is_saved() -> bool:
        with Document.open(session.path) as other:  # type: ignore[arg-type]
            return other.spaces.list_names() == ("main",)

    assert not is_saved()
    qtbot.waitUntil(is_saved)


def test_unreadable_space_is_reported(session: Session, qtbot: QtBot) -> None:
    path = session.path
    assert path is not None
    session.document.spaces.save("main", {"name": "broken"})
    with qtbot.waitSignal(session.failed):
        session.open(path)
    assert session.space.value is None
