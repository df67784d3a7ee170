"""External changes of the open document's file are reported once."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QStandardPaths
from pytestqt.qtbot import QtBot

from studio.document.store import Document
from studio.gui.session.document_watch import DocumentWatch
from studio.gui.session.session import Session
from tests.facts import contains_facts

OTHER = """
import sys
from PySide6.QtCore import QCoreApplication, QLockFile, QStandardPaths
from pathlib import Path
app = QCoreApplication([])
from studio.gui.session import document_watch
QStandardPaths.writableLocation = lambda _: sys.argv[2]
lock = QLockFile(str(document_watch.get_lock_path(Path(sys.argv[1]))))
lock.setStaleLockTime(0)
print(lock.tryLock(0), flush=True)
sys.stdin.read()
"""


@pytest.fixture
def reports() -> list[str]:
    return []


@pytest.fixture
def session(
    tmp_path: Path, reports: list[str], monkeypatch: pytest.MonkeyPatch
) -> Iterator[Session]:
    monkeypatch.setattr(QStandardPaths, "writableLocation", lambda _: str(tmp_path / "state"))
    new_session = Session()
    new_session.watch = DocumentWatch(new_session, new_session)  # type: ignore[attr-defined]
    new_session.watch.problem_found.connect(reports.append)  # type: ignore[attr-defined]
    yield new_session
    new_session.close()


def watch(session: Session) -> DocumentWatch:
    document_watch: DocumentWatch = session.watch  # type: ignore[attr-defined]
    return document_watch


def test_document_watch_reports_nothing_without_problems(
    session: Session, reports: list[str], tmp_path: Path
) -> None:
    watch(session).check_now()
    session.create(tmp_path / "a.studio")
    watch(session).check_now()
    session.close()
    watch(session).check_now()
    assert reports == []


def test_deleted_document_is_reported_once_per_deletion(
    session: Session, reports: list[str], tmp_path: Path
) -> None:
    path, aside = tmp_path / "a.studio", tmp_path / "b.studio"
    session.create(path)
    path.rename(aside)
    watch(session).check_now()
    watch(session).check_now()
    assert len(reports) == 1
    assert contains_facts(reports[0], "a.studio", "moved", "Save as")
    aside.rename(path)
    watch(session).check_now()
    path.rename(aside)
    watch(session).check_now()
    assert len(reports) == 2


def test_replaced_document_is_reported(
    session: Session, reports: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "a.studio"
    session.create(path)
    Document.create(tmp_path / "b.studio").close()
    (tmp_path / "b.studio").replace(path)
    watch(session).check_now()
    assert "replaced by" in reports[0]


def test_unwritable_document_is_reported(
    session: Session, reports: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session.create(tmp_path / "a.studio")
    # Tests may run as root, who can write anywhere.
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    watch(session).check_now()
    assert "no longer writable" in reports[0]


@pytest.mark.slow
def test_second_window_shows_warning(
    session: Session, reports: list[str], tmp_path: Path, qtbot: QtBot
) -> None:
    path = tmp_path / "a.studio"
    Document.create(path).close()
    other = subprocess.Popen(
        [sys.executable, "-c", OTHER, str(path), str(tmp_path / "state")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert other.stdout is not None
        assert other.stdout.readline().strip() == "True"
        session.open(path)
        qtbot.waitUntil(lambda: bool(reports))
        assert "another window" in reports[0]
        session.close()
    finally:
        other.kill()
        other.communicate()
    session.open(path)
    qtbot.waitUntil(lambda: watch(session)._lock is not None and watch(session)._lock.isLocked())
    assert len(reports) == 1
