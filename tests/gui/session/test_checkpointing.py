"""Changes by the window are in the document's main file without its write-ahead log."""

import shutil
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from studio.document.decision import Decision
from studio.document.store import Document
from studio.gui.session.session import Checkpointer, Session
from studio.space.library import load

AddRun = Callable[..., int]

DECISION = Decision("sick", 0.25)


def _rename(session: Session, run: int) -> None:
    session.document.runs.rename(run, "R&D")


def _decide(session: Session, run: int) -> None:
    session.decisions.store(run, DECISION)


def _end(session: Session, run: int) -> None:
    session.document.runs.set_state(run, "stopped")


def _remove(session: Session, run: int) -> None:
    session.document.remove_run(run)


def _note(session: Session, run: int) -> None:
    del run
    session.set_note("window.run", {"budget": 7})


def _edit(session: Session, run: int) -> None:
    del run
    session.space.replace(load("svm-rbf"), "take svm-rbf")


def _title(session: Session, run: int) -> None:
    del run
    session.set_note("window.data", {"path": "t.csv", "title": "R&D"})


@pytest.mark.slow
@pytest.mark.parametrize(
    ("write", "read"),
    [
        (_rename, lambda document, run: document.runs.get(run).name == "R&D"),
        (_decide, lambda document, run: document.runs.get(run).decision == DECISION),
        (_end, lambda document, run: document.runs.get(run).state == "stopped"),
        (_remove, lambda document, run: document.get_removed_runs() == (run,)),
        (_note, lambda document, run: document.notes.get("window.run") == {"budget": 7}),
        (_edit, lambda document, run: "main" in document.spaces.list_names()),
        (_title, lambda document, run: document.notes.get("window.data")["title"] == "R&D"),
    ],
)
def test_copy_of_open_file_contains_window_changes(
    session: Session,
    add_run: AddRun,
    qtbot: QtBot,
    tmp_path: Path,
    write: Callable[[Session, int], None],
    read: Callable[[Document, int], bool],
) -> None:
    run = add_run(1)
    session.following.poll()
    qtbot.waitUntil(lambda: not session.checkpointer.pending)
    write(session, run)
    session.space.save_now()
    assert session.checkpointer.pending
    qtbot.waitUntil(lambda: not session.checkpointer.pending)
    assert session.path is not None
    shutil.copyfile(session.path, tmp_path / "copy.studio")
    with Document.open(tmp_path / "copy.studio") as copy:
        assert read(copy, run)


@pytest.mark.slow
def test_old_reader_delays_checkpoint(session: Session, qtbot: QtBot, tmp_path: Path) -> None:
    assert session.path is not None
    session.set_note("window.run", 1)
    qtbot.waitUntil(lambda: not session.checkpointer.pending)
    with Document.open(session.path, writable=False) as reader:
        with reader.open_snapshot():
            reader.notes.get("window.run")
            session.set_note("window.run", 2)
            qtbot.waitUntil(lambda: "checkpoint" in {each.name for each in threading.enumerate()})
            assert session.checkpointer.pending
        qtbot.waitUntil(lambda: not session.checkpointer.pending)
        shutil.copyfile(session.path, tmp_path / "copy.studio")
    with Document.open(tmp_path / "copy.studio") as copy:
        assert copy.notes.get("window.run") == 2


def test_reading_causes_no_checkpoint(session: Session, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: not session.checkpointer.pending)
    session.read_note("window.run")
    with session.document.run_transaction():
        pass
    assert not session.checkpointer.pending


@pytest.mark.slow
def test_missing_document_stops_checkpointing(session: Session, qtbot: QtBot) -> None:
    assert session.path is not None
    session.set_note("window.run", 1)
    aside = session.path.with_name("aside.studio")
    session.path.rename(aside)
    qtbot.waitUntil(lambda: not session.checkpointer.pending)
    aside.rename(session.path)


def test_closing_waits_for_checkpoint(session: Session, tmp_path: Path) -> None:
    """An open connection would block replacing the document."""
    mover = Checkpointer()
    assert session.path is not None
    mover.attach(session.document)
    session.set_note("window.run", 1)
    mover._start()
    mover.detach()
    assert not mover.pending
    session.close()
    assert not (tmp_path / "work.studio-wal").exists()
