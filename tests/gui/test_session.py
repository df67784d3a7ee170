"""The session: one document as the window follows it."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from studio.document.store import Document
from studio.document.trials import Iteration
from studio.errors import DocumentError
from studio.gui.session import Session
from studio.space.library import load
from studio.trial import Trial


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    made = Session()
    made.create(tmp_path / "work.studio")
    yield made
    made.close()


def add_run(path: Path, trials: int = 0) -> int:
    with Document.open(path) as other:
        run = other.add_run("EO-sqm", {"method": "EO-sqm", "budget": 9})
        for number in range(1, trials + 1):
            other.add_trial(
                run,
                Trial(number, {"algorithm": "knn"}, 0, 0.2),
                np.zeros((4, 2), np.float16),
                None,
                Iteration(number, number, 0.2),
            )
    return run


def test_what_another_process_writes_arrives(session: Session, qtbot: QtBot) -> None:
    assert session.path is not None
    with qtbot.waitSignal(session.trials_added, timeout=10_000) as told:
        run = add_run(session.path, trials=3)
    assert told.args == [run]
    view = session.run(run)
    assert [trial.number for trial in view.trials] == [1, 2, 3]
    assert [iteration.number for iteration in view.iterations] == [1, 2, 3]
    assert session.runs == [view]


def test_nothing_new_tells_nothing(session: Session, qtbot: QtBot) -> None:
    assert session.path is not None
    add_run(session.path)
    session.poll()
    with qtbot.assertNotEmitted(session.runs_changed):
        for _ in range(30):
            session.poll()


def test_opening_again_restores_everything(session: Session, tmp_path: Path) -> None:
    assert session.path is not None
    session.set_data({"path": "t.csv"})
    session.set_note("window.run", {"budget": 7})
    session.set_space(load("svm-rbf"), "take svm-rbf")
    run = add_run(session.path, trials=2)
    session.close()
    assert not session.is_open
    session.open(tmp_path / "work.studio")
    assert session.data == {"path": "t.csv"}
    assert session.note("window.run") == {"budget": 7}
    assert session.space == load("svm-rbf")
    assert session.chosen_run == run
    assert len(session.run(run).trials) == 2


def test_a_document_that_cannot_be_opened_leaves_the_other_open(
    session: Session, tmp_path: Path
) -> None:
    (tmp_path / "bad.studio").write_text("no")
    before = session.path
    with pytest.raises(DocumentError):
        session.open(tmp_path / "bad.studio")
    assert session.path == before
    assert session.is_open


def test_choosing_a_run_follows_it_live(session: Session, qtbot: QtBot) -> None:
    assert session.path is not None
    first, second = add_run(session.path, 2), add_run(session.path, 1)
    session.poll()
    session.choose_run(first)
    session.choose_iteration(1)
    assert session.chosen_iteration == 1
    with qtbot.waitSignals([session.run_chosen, session.iteration_chosen]):
        session.choose_run(second)
    assert session.chosen_iteration is None
    with qtbot.assertNotEmitted(session.run_chosen):
        session.choose_run(second)


def test_edits_of_the_space_are_undone_and_redone(session: Session, qtbot: QtBot) -> None:
    assert session.space is None
    session.undo()
    one, two = load("svm-rbf"), load("dummy")
    session.set_space(one, "first")
    with qtbot.waitSignal(session.space_changed):
        session.set_space(two, "take dummy")
    assert session.undo_text == "take dummy"
    session.undo()
    assert session.space == one
    assert session.redo_text == "take dummy"
    session.redo()
    assert session.space == two


def test_an_engine_that_died_makes_the_run_interrupted(session: Session) -> None:
    assert session.path is not None
    run = add_run(session.path)
    session.document.set_state(run, "running")
    session.poll()
    assert session.run(run).state == "interrupted"
    assert session.active_runs == []


def test_stopping_a_run_without_an_engine_stops_it_here(session: Session) -> None:
    assert session.path is not None
    run = add_run(session.path)
    session.document.set_state(run, "running")
    session.ask_run(run, "stop")
    assert session.run(run).state == "stopped"


def test_a_living_engine_is_asked_through_the_document(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    # What is owed when the claim is released must not start a real engine here.
    monkeypatch.setattr(session, "start_engine", lambda run: None)
    assert session.path is not None
    run = add_run(session.path)
    session.document.claim(run)
    session.document.set_state(run, "running")
    session.poll()
    assert [view.row.id for view in session.active_runs] == [run]
    session.ask_run(run, "pause")
    session.ask_run(run, "budget", 12)
    asked = session.document.take_requests(run)
    assert [(each.kind, each.value) for each in asked] == [
        ("pause", None),
        ("budget", {"budget": 12}),
    ]
    session.document.release(run)


def test_more_budget_for_a_resting_run_starts_an_engine(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert session.path is not None
    run = add_run(session.path)
    started: list[int] = []
    monkeypatch.setattr(session, "start_engine", started.append)
    session.document.set_state(run, "finished")
    session.ask_run(run, "budget", 30)
    assert started == [run]
    assert session.run(run).budget == 30


def test_a_wish_that_cannot_be_kept_is_told(session: Session, qtbot: QtBot) -> None:
    with qtbot.waitSignal(session.failed) as told:
        session.ask_run(99, "pause")
    assert "no run 99" in told.args[0]


def test_a_hidden_run_is_out_of_sight_and_comes_back(session: Session) -> None:
    assert session.path is not None
    first, second = add_run(session.path, 1), add_run(session.path, 1)
    session.poll()
    session.choose_run(second)
    session.overlay(first, wanted=True)
    session.hide_run(second, hidden=True)
    assert session.chosen_run == first
    assert [view.row.id for view in session.runs] == [first]
    assert session.hidden_runs == {second}
    session.hide_run(first, hidden=True)
    assert session.chosen_run is None
    assert session.overlaid == []
    session.hide_run(second, hidden=False)
    assert [view.row.id for view in session.runs] == [second]


def test_a_run_that_another_window_removed_is_gone(session: Session, qtbot: QtBot) -> None:
    assert session.path is not None
    first, second = add_run(session.path, 2), add_run(session.path, 2)
    session.poll()
    session.choose_run(second)
    with Document.open(session.path) as other:
        other.remove_run(second)
    with qtbot.waitSignal(session.runs_changed):
        session.poll()
    assert session.chosen_run == first
    assert [view.row.id for view in session.runs] == [first]
    later = add_run(session.path, 1)
    session.poll()
    assert [trial.number for trial in session.run(later).trials] == [1]


def test_a_stop_is_seen_at_once_and_repeated_for_an_engine_that_was_not_there(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert session.path is not None
    run = add_run(session.path)
    monkeypatch.setattr(session, "is_alive", lambda _: True)
    session.poll()
    for _ in range(5):
        session.ask_run(run, "stop")
    assert session.run(run).asked == "stop"
    with Document.open(session.path) as engine:
        engine.take_requests(run)  # an engine that begins forgets what was wished before
        engine.set_state(run, "running")
        session.poll()
        assert [each.kind for each in engine.take_requests(run)] == ["stop"]
        assert session.run(run).asked == "stop"
        engine.set_state(run, "stopped")
    session.poll()
    assert session.run(run).asked == ""


def test_more_time_is_asked_for_as_settings(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert session.path is not None
    run = add_run(session.path)
    session.poll()
    monkeypatch.setattr(session, "is_alive", lambda _: True)
    session.ask_run(run, "budget", {"budget": None, "seconds": 90.0})
    (wish,) = session.document.take_requests(run)
    assert (wish.kind, wish.value) == ("budget", {"budget": None, "seconds": 90.0})
    assert session.run(run).asked == ""


def test_a_run_whose_engine_ends_instead_of_going_on_gets_another(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert session.path is not None
    run = add_run(session.path)
    session.poll()
    alive = {run}
    started: list[int] = []
    monkeypatch.setattr(session, "is_alive", lambda number: number in alive)
    monkeypatch.setattr(session, "start_engine", started.append)
    session.ask_run(run, "stop")
    session.document.set_state(run, "stopped")
    session.poll()
    session.ask_run(run, "continue")  # the process is still about to leave
    assert started == []
    alive.clear()
    session.poll()
    session._look_for_dead()
    assert started == [run]
    session._look_for_dead()
    assert started == [run]


def test_a_wish_that_was_heard_starts_nothing(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert session.path is not None
    run = add_run(session.path)
    alive = {run}
    started: list[int] = []
    monkeypatch.setattr(session, "is_alive", lambda number: number in alive)
    monkeypatch.setattr(session, "start_engine", started.append)
    session.document.set_state(run, "running")
    session.poll()
    session.ask_run(run, "budget", 30)
    session.document.take_requests(run)
    session._look_for_dead()
    alive.clear()
    session._look_for_dead()
    assert started == []
