"""Rapid input: dropping many files, closing while saving, undo during a run."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from studio.data.samples import list_samples
from studio.document.store import Document
from studio.gui.base import preferences
from studio.gui.session.session import Session
from studio.gui.shell import pages
from studio.gui.shell.window import MainWindow
from studio.space.library import load
from studio.space.space import Space

pytestmark = pytest.mark.slow

FILES = 1000


@pytest.fixture
def window(qtbot: QtBot, helper: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[MainWindow]:
    session = Session()
    monkeypatch.setattr(session.control, "start", lambda run: None)
    monkeypatch.setitem(pages.PAGE_FACTORIES, "live", lambda _: QWidget())
    main_window = MainWindow(session, helper)
    qtbot.addWidget(main_window)
    main_window.show()
    yield main_window
    session.close()


def drop(window: MainWindow, paths: list[Path]) -> None:
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    window.dropEvent(
        QDropEvent(
            QPointF(5, 5),
            Qt.DropAction.CopyAction,
            mime,
            Qt.MouseButton.LeftButton,
            Qt.KeyboardModifier.NoModifier,
        )
    )


def test_dropping_many_files_opens_one_with_message(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    files = [tmp_path / f"{number}.csv" for number in range(FILES)]
    for path in files:
        path.write_text("a,b\n" + "1,2\n3,4\n" * 20)
    drop(window, files)
    qtbot.waitUntil(lambda: window.data.is_ready and not window.data.busy)
    assert window.data.draft.path == str(files[0])
    assert "1,000 files" in window.banner.text_label.text()


def test_closing_after_edit_saves_edit(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "work.studio"
    window.session.create(path)
    window.session.space.replace(load("forest-smbeo"), "First")
    window.session.space.replace(load("svm-rbf"), "Second")
    window.close()
    with Document.open(path, writable=False) as document:
        assert Space.from_json(document.spaces.read("main")) == load("svm-rbf")


def test_undo_during_run_keeps_space_of_run(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    session = window.session
    session.create(tmp_path / "work.studio")
    session.space.replace(load("forest-smbeo"), "First")
    session.space.replace(load("svm-rbf"), "Second")
    run = {"method": "RS", "budget": 5, "space": session.space.value.to_json()}  # type: ignore[union-attr]
    session.document.runs.add("run", run)
    session.following.poll()
    for _ in range(10):
        session.space.history.undo()
    assert session.space.value == load("forest-smbeo")
    assert Space.from_json(session.runs.views[0].settings.space) == load("svm-rbf")
    for _ in range(10):
        session.space.history.redo()
    assert session.space.value == load("svm-rbf")


@pytest.mark.parametrize("answer", ["keep", "pause", "stop"])
def test_quitting_follows_preference_for_active_runs(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str
) -> None:
    session = window.session
    session.create(tmp_path / "work.studio")
    for number in range(5):
        session.document.runs.add(f"run {number}", {"method": "RS", "budget": 5})
        session.document.runs.set_state(number + 1, "running")
    monkeypatch.setattr(session.control, "is_alive", lambda run: True)
    session.following.poll()
    session.control.detect_dead_engines()
    assert len(session.runs.active) == 5
    requests: list[tuple[int, str]] = []
    monkeypatch.setattr(
        session.control,
        "send_request",
        lambda run, request, value=None: requests.append((run, request)),
    )
    preferences.save(preferences.load().with_changes(leaving=answer))
    assert window.close()
    assert requests == [] if answer == "keep" else requests == [(n, answer) for n in range(1, 6)]


def test_rapidly_opened_samples_end_with_last_one(window: MainWindow, qtbot: QtBot) -> None:
    for sample in list_samples() * 5:
        window.opening.open_sample(sample)
    qtbot.waitUntil(lambda: window.data.is_ready and not window.data.busy)
    assert window.data.draft.path == str(list_samples()[-1].path)
    assert window.data.draft.resolved_target == list_samples()[-1].target
