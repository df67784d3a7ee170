"""Requests reach engines, and dead engines are detected."""

import shutil
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from studio.document.store import Document
from studio.gui.session.session import Session
from studio.gui.session.wording import describe_run
from studio.system.files import find_mount_point

AddRun = Callable[..., int]


class FakeEngine:
    """A fake engine process with exit code ``code``."""

    code: int | None = None

    def poll(self) -> int | None:
        return self.code


def test_run_with_dead_engine_is_interrupted(session: Session, add_run: AddRun) -> None:
    run = add_run()
    session.document.runs.set_state(run, "running")
    session.following.poll()
    assert session.runs.get_view(run).state == "interrupted"
    assert session.runs.active == []


@pytest.mark.parametrize(("free", "n_reports"), [(0, 1), (1 << 30, 0)])
def test_engine_write_failure_is_reported_once(
    session: Session, add_run: AddRun, monkeypatch: pytest.MonkeyPatch, free: int, n_reports: int
) -> None:
    run = add_run()
    session.document.owners.claim(run)
    session.document.runs.set_state(run, "running")
    session.following.poll()
    session.control.detect_dead_engines()
    messages: list[str] = []
    session.failed.connect(messages.append)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=free))
    monkeypatch.setattr(session.control, "is_alive", lambda _: False)
    session.control.detect_dead_engines()
    session.control.detect_dead_engines()
    assert len(messages) == n_reports
    assert session.path is not None
    assert all(f"the disk {find_mount_point(session.path)}." in each for each in messages)
    session.document.owners.release(run)


def test_window_stops_run_without_engine(session: Session, add_run: AddRun) -> None:
    run = add_run()
    session.document.runs.set_state(run, "running")
    session.control.send_request(run, "stop")
    assert session.runs.get_view(run).state == "stopped"


def test_engine_requests_are_stored_in_document(
    session: Session, add_run: AddRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A pending request must not start a real engine when the claim is released.
    monkeypatch.setattr(session.control, "start", lambda run: None)
    run = add_run()
    session.document.owners.claim(run)
    session.document.runs.set_state(run, "running")
    session.following.poll()
    assert [view.row.id for view in session.runs.active] == [run]
    session.control.send_request(run, "pause")
    session.control.send_request(run, "budget", 12)
    requests = session.document.requests.pop_all(run)
    assert [(each.kind, each.value) for each in requests] == [
        ("pause", None),
        ("budget", {"budget": 12}),
    ]
    session.document.owners.release(run)


def test_larger_budget_starts_engine(
    session: Session, add_run: AddRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = add_run()
    started: list[int] = []
    monkeypatch.setattr(session.control, "start", started.append)
    session.document.runs.set_state(run, "finished")
    session.control.send_request(run, "budget", 30)
    assert started == [run]
    assert session.runs.get_view(run).budget == 30


def test_continued_run_is_immediately_in_progress(
    session: Session, add_run: AddRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = add_run()
    session.document.runs.set_state(run, "stopped", "Stopped; everything is kept.")
    session.following.poll()
    monkeypatch.setattr("studio.gui.session.control.start_engine", lambda *_: FakeEngine())
    session.control.send_request(run, "continue")
    view = session.runs.get_view(run)
    assert session.runs.in_progress == [view], "so leaving asks what becomes of it"
    assert describe_run(view, None).startswith("continuing…")
    assert "Stopped" not in describe_run(view, None)
    monkeypatch.setattr(FakeEngine, "code", 1)
    session.control.detect_dead_engines()
    assert session.runs.in_progress == [], "it never began"


def test_unstorable_request_is_reported(session: Session, qtbot: QtBot) -> None:
    with qtbot.waitSignal(session.failed) as blocker:
        session.control.send_request(99, "pause")
    assert "no run 99" in blocker.args[0]


def test_stop_request_is_shown_immediately_and_repeated(
    session: Session, add_run: AddRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = add_run()
    monkeypatch.setattr(session.control, "is_alive", lambda _: True)
    session.following.poll()
    for _ in range(5):
        session.control.send_request(run, "stop")
    assert session.runs.get_view(run).pending_request == "stop"
    with Document.open(session.path) as engine:
        engine.requests.pop_all(run)  # a starting engine discards earlier requests
        engine.runs.set_state(run, "running")
        session.following.poll()
        assert [each.kind for each in engine.requests.pop_all(run)] == ["stop"]
        assert session.runs.get_view(run).pending_request == "stop"
        engine.runs.set_state(run, "stopped")
    session.following.poll()
    assert session.runs.get_view(run).pending_request == ""


def test_more_time_is_requested_as_settings(
    session: Session, add_run: AddRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = add_run()
    session.following.poll()
    monkeypatch.setattr(session.control, "is_alive", lambda _: True)
    session.control.send_request(run, "budget", {"budget": None, "seconds": 90.0})
    (request,) = session.document.requests.pop_all(run)
    assert (request.kind, request.value) == ("budget", {"budget": None, "seconds": 90.0})
    assert session.runs.get_view(run).pending_request == ""


def test_ended_engine_is_replaced_after_continue(
    session: Session, add_run: AddRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = add_run()
    session.following.poll()
    alive = {run}
    started: list[int] = []
    monkeypatch.setattr(session.control, "is_alive", lambda number: number in alive)
    monkeypatch.setattr(session.control, "start", started.append)
    session.control.send_request(run, "stop")
    session.document.runs.set_state(run, "stopped")
    session.following.poll()
    session.control.send_request(run, "continue")  # the process is still about to exit
    assert started == []
    alive.clear()
    session.following.poll()
    session.control.detect_dead_engines()
    assert started == [run]
    session.control.detect_dead_engines()
    assert started == [run]


def test_completed_request_starts_no_engine(
    session: Session, add_run: AddRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = add_run()
    alive = {run}
    started: list[int] = []
    monkeypatch.setattr(session.control, "is_alive", lambda number: number in alive)
    monkeypatch.setattr(session.control, "start", started.append)
    session.document.runs.set_state(run, "running")
    session.following.poll()
    session.control.send_request(run, "budget", 30)
    session.document.requests.pop_all(run)
    session.control.detect_dead_engines()
    alive.clear()
    session.control.detect_dead_engines()
    assert started == []


def test_repeated_stop_keeps_order_of_trials(
    session: Session,
    add_run: AddRun,
    add_trial_to: Callable[..., None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert session.path is not None
    run = add_run()
    monkeypatch.setattr(session.control, "is_alive", lambda _: True)
    session.following.poll()
    session.control.send_request(run, "stop")
    with Document.open(session.path) as engine:
        engine.runs.set_state(run, "running")
        add_trial_to(engine, run, 1)
        post = session.document.requests.post

        def post_after_new_trial(*asked: Any) -> None:
            add_trial_to(engine, run, 2)  # arrives while earlier changes are processed
            post(*asked)

        monkeypatch.setattr(session.document.requests, "post", post_after_new_trial)
        session.following.poll()
    assert [trial.number for trial in session.runs.get_view(run).trials] == [1, 2]


def test_engines_of_documents_are_distinguished(
    session: Session, tmp_path: Path, add_run: AddRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    going = SimpleNamespace(poll=lambda: None)
    monkeypatch.setattr("studio.gui.session.control.start_engine", lambda path, run, cluster: going)
    here = session.path
    assert here is not None
    run = add_run()
    session.control.start(run)
    assert session.control.is_alive(run)
    session.create(tmp_path / "other.studio")
    assert add_run() == run
    assert not session.control.is_alive(run)
    session.open(here)
    assert session.control.is_alive(run)
