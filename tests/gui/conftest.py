"""Isolated settings, folders and theme for each test of the window."""

import gc
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QObject, QSettings, QTimer
from PySide6.QtWidgets import QApplication, QMainWindow
from pytestqt.qtbot import QtBot

from studio.data.samples import list_recordings
from studio.document.runs import RunRow
from studio.errors import StudioError
from studio.gui.base import theme, user_paths
from studio.gui.base.preferences import get_appearance
from studio.gui.session.run_view import RunView
from studio.gui.session.session import Session
from studio.helper.answers import encode
from studio.helper.registry import run_task as done_by_helper
from studio.tasks import Task

if TYPE_CHECKING:
    from studio.gui.shell.window import MainWindow

ViewMaker = Callable[..., RunView]


@pytest.fixture(autouse=True)
def own_settings(
    qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """Isolate the settings of each test from the user's."""
    qapp.setOrganizationName("ensemble-studio-tests")
    qapp.setApplicationName("tests")
    QSettings.setDefaultFormat(QSettings.Format.IniFormat)
    QSettings.setPath(QSettings.Format.IniFormat, QSettings.Scope.UserScope, str(tmp_path / "ini"))
    folder = tmp_path / "untitled"
    folder.mkdir()
    monkeypatch.setattr(user_paths, "ensure_untitled_folder", lambda: folder)
    if theme.current() is not theme.LIGHT or theme.scale() != 1.0 or not theme.is_applied():
        theme.apply(qapp, theme.LIGHT)
    yield
    QSettings().clear()


@pytest.fixture(autouse=True)
def no_leaked_windows(own_settings: None) -> Iterator[None]:
    """Fail a test with remaining visible windows, as they would grab the mouse in later tests.

    Main windows are only hidden: those that live on follow the end of presentation mode.
    """
    for window in QApplication.topLevelWidgets():  # from tests outside this folder
        window.hide()
    yield
    open_windows = [each for each in QApplication.topLevelWidgets() if each.isVisible()]
    for window in open_windows:
        window.hide()
    # Without an event loop, Qt would keep closed widgets, and go through them for each new look.
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    open_windows = [each for each in open_windows if not isinstance(each, QMainWindow)]
    assert not open_windows, f"windows left open: {open_windows}"


@pytest.fixture(autouse=True)
def no_garbage_collected_within_qt() -> Iterator[None]:
    """Collect garbage between tests: inside a Qt call it may wait for a lock of that call."""
    gc.disable()
    yield
    gc.enable()


@pytest.fixture
def make_view() -> ViewMaker:
    """Return a function that makes a ``RunView`` without a document."""

    def make(**values: Any) -> RunView:
        row = {
            "id": 1,
            "name": "EO-sqm",
            "settings": {"method": "EO-sqm", "budget": 200, "metric": "error"},
            "table_id": 1,
            "prepared": True,
            "created": 0.0,
            "state": "running",
            "message": "",
            "result": None,
            "owner": None,
            "heartbeat": 0.0,
        }
        return RunView(RunRow(**{**row, **values}))

    return make


class DirectHelper(QObject):
    """A helper in the test's process that answers at once, or when released."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.replaced: dict[str, Callable[[dict[str, Any]], Any]] = {}
        self._waiting: list[Callable[[], None]] = []
        self._closed = False
        self.holds_replies = False
        self.is_busy = False

    def request(
        self,
        task: Task[..., Any],
        arguments: dict[str, Any],
        done: Callable[[Any], None],
        failed: Callable[[str], None],
        channel: str | None = None,
    ) -> "DirectTicket":
        """Answer at once, or at :meth:`release` while ``holds_replies``."""
        self.asked.append((task.name, arguments))
        ticket = DirectTicket()

        def answer() -> None:
            if self._closed or not ticket.waiting:
                return
            ticket.waiting = False
            try:
                if task.name in self.replaced:
                    reply = encode(self.replaced[task.name](arguments))
                else:
                    reply = encode(done_by_helper(task.name, json.loads(json.dumps(arguments))))
            except StudioError as error:
                failed(str(error))
            else:
                done(reply)

        if self.holds_replies:
            self._waiting.append(answer)
        else:
            QTimer.singleShot(0, answer)
        return ticket

    def release(self) -> None:
        """Send the delayed answers."""
        waiting, self._waiting = self._waiting, []
        for answer in waiting:
            answer()

    def close(self) -> None:
        """Drop the delayed answers, and stop answering."""
        self._waiting = []
        self._closed = True


class DirectTicket:
    """A request to a direct helper."""

    def __init__(self) -> None:
        self.waiting = True

    def cancel(self) -> None:
        """Cancel the request."""
        self.waiting = False


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    """Return the session of an empty document."""
    new_session = Session()
    new_session.create(tmp_path / "d.studio")
    yield new_session
    new_session.close()


@pytest.fixture
def helper(qtbot: QtBot) -> Iterator[DirectHelper]:
    """Return a helper in the test's process, alive as long as the widgets."""
    del qtbot  # qtbot deletes the widgets, and a late reply would reach a deleted one.
    new_helper = DirectHelper()
    yield new_helper
    new_helper.close()


@pytest.fixture
def recorded_window(qtbot: Any, helper: Any, tmp_path: Path) -> Iterator["MainWindow"]:
    """Return a window on the Live page of a copy of the first recording."""
    from studio.gui.shell.window import MainWindow

    path = tmp_path / "recorded.studio"
    path.write_bytes(list_recordings()[0].path.read_bytes())
    window = MainWindow(Session(), helper)
    qtbot.addWidget(window)
    window.show()
    window.session.open(path)
    window.show_page("live")
    yield window
    get_appearance().set_presenting(False)
    window.hide()  # leaving presentation mode shows it again
    window.session.close()
