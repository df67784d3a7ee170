"""The window connects only to clusters confirmed on this computer."""

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from PySide6.QtWidgets import QMessageBox
from pytestqt.qtbot import QtBot

from studio.document.store import Document
from studio.gui.base import preferences
from studio.gui.drafts.data_model import DataModel
from studio.gui.drafts.run_model import RunModel
from studio.gui.drafts.starter import Starter
from studio.gui.session.session import Session
from studio.gui.widgets import cluster_question
from studio.gui.widgets.cluster_question import confirm_cluster

CLUSTER = "tcp://10.0.0.5:8786"

Answer = Callable[[str], None]


@pytest.fixture
def answer(monkeypatch: pytest.MonkeyPatch) -> Answer:
    """Return a function that sets the answer to expected questions; others fail the test."""
    answers: list[str] = []

    def press(box: QMessageBox) -> int:
        (name,) = answers
        next(button for button in box.buttons() if button.text() == name).click()
        return 0

    monkeypatch.setattr(QMessageBox, "exec", press)
    return lambda name: answers.__setitem__(slice(None), [name])


@pytest.fixture
def engines(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """Return the list of started engines; no process is created."""
    started: list[tuple[Any, ...]] = []

    def start(path: Path, run: int, cluster: str = "") -> Any:
        started.append((run, cluster))
        return SimpleNamespace(poll=lambda: 0)

    monkeypatch.setattr("studio.gui.session.control.start_engine", start)
    return started


def test_cluster_address_is_confirmed_once_per_computer(session: Session, answer: Answer) -> None:
    answer("Connect")
    assert confirm_cluster(CLUSTER) == CLUSTER
    answer("")
    assert confirm_cluster(CLUSTER) == CLUSTER
    assert confirm_cluster("") == ""
    assert confirm_cluster("local:4") == "local:4"
    assert preferences.load().clusters == CLUSTER
    assert session.path is not None
    assert CLUSTER.encode() not in session.path.read_bytes()


def test_removed_address_needs_new_confirmation(answer: Answer) -> None:
    answer("Connect")
    confirm_cluster(CLUSTER)
    preferences.save(preferences.load().with_changes(clusters=""))
    answer("Cancel")
    assert confirm_cluster(CLUSTER) is None


@pytest.mark.parametrize("address", ["<b>x</b>", "tcp://a\u202eb:1", "x" * 10**5])
def test_invalid_address_cannot_be_confirmed(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    box_states: list[tuple[str, bool]] = []

    def record_box(box: QMessageBox) -> int:
        connect = next(each for each in box.buttons() if each.text() == "Connect")
        box_states.append((box.text(), connect.isEnabled()))
        return 0

    monkeypatch.setattr(QMessageBox, "exec", record_box)
    assert confirm_cluster(address) is None
    [(text, enabled)] = box_states
    assert not enabled
    assert text.isascii()
    assert len(text) < 200


@pytest.mark.parametrize("asked", ["continue", "budget"])
@pytest.mark.parametrize(
    ("button", "started"),
    [("Cancel", []), ("Use this computer", [("run", "")]), ("Connect", [("run", CLUSTER)])],
)
def test_continuing_foreign_run_requires_confirmation(
    session: Session,
    add_run: Callable[..., int],
    answer: Answer,
    engines: list[tuple[Any, ...]],
    button: str,
    started: list[tuple[str, str]],
    asked: Any,
) -> None:
    run = add_run()
    session.document.runs.change_settings(run, {"cluster": CLUSTER})
    session.document.runs.set_state(run, "stopped")
    session.following.poll()
    answer(button)
    session.control.send_request(run, asked, 300 if asked == "budget" else None)
    assert engines == [(run, cluster) for _, cluster in started]
    settings = session.document.runs.get(run).settings
    assert settings["cluster"] == ("" if button == "Use this computer" else CLUSTER)
    if button == "Cancel" and asked == "budget":
        assert settings["budget"] != 300


def test_starting_stored_draft_requires_confirmation(
    session: Session, helper: Any, answer: Answer, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, run = DataModel(session, helper), RunModel(session, helper)
    session.set_note("window.run", run.draft.with_changes(cluster=CLUSTER).to_json())
    starter = Starter(session, helper, data, run)
    run.change(cluster=CLUSTER)
    monkeypatch.setattr(starter, "get_blocking_problem", lambda: "")
    monkeypatch.setattr(data, "reload_if_changed", lambda: False)
    begun: list[str] = []
    monkeypatch.setattr(starter, "_import_table", lambda: begun.append(run.draft.cluster))
    answer("Cancel")
    starter.start()
    assert begun == []
    answer("Use this computer")
    starter.start()
    assert begun == [""]


@pytest.mark.parametrize(
    ("button", "clusters"), [("Cancel", []), ("Use this computer", [""]), ("Connect", [CLUSTER])]
)
def test_forking_foreign_run_requires_confirmation(
    session: Session,
    add_run: Callable[..., int],
    helper: Any,
    answer: Answer,
    monkeypatch: pytest.MonkeyPatch,
    button: str,
    clusters: list[str],
) -> None:
    run_id = add_run()
    session.document.runs.change_settings(run_id, {"cluster": CLUSTER})
    session.following.poll()
    data, run = DataModel(session, helper), RunModel(session, helper)
    starter = Starter(session, helper, data, run)
    requested_clusters: list[str] = []
    monkeypatch.setattr(
        starter,
        "_request_run",
        lambda task, given, overlaid_run=None: requested_clusters.append(
            given["changes"].get("cluster", CLUSTER)
        ),
    )
    answer(button)
    starter.fork(run_id, 0, {"method": "RS"})
    assert requested_clusters == clusters


def test_run_of_new_document_needs_no_confirmation(
    session: Session, add_run: Callable[..., int], engines: list[tuple[Any, ...]], qtbot: QtBot
) -> None:
    run = add_run()
    session.control.start(run)
    assert engines == [(run, "")]
    with Document.open(session.path or Path(), writable=False) as document:
        assert not document.runs.get(run).settings.get("cluster")
    assert cluster_question.is_confirmed("")
