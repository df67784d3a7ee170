"""Uncaught exceptions are reported once, without personal data, and the window continues."""

import getpass
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QPaintEvent
from PySide6.QtWidgets import QMainWindow, QWidget
from pytestqt.qtbot import QtBot

from studio.errors import DataError
from studio.gui.shell.commands.command_registry import ActionLog, get_action_log
from studio.gui.shell.crash.watch import (
    CrashDialog,
    CrashWatch,
    FaultRecorder,
    anonymise,
    format_exception_report,
    remove_values,
)
from studio.gui.widgets.messages import Banner


class Window(QMainWindow):
    """A window with a banner."""

    def __init__(self) -> None:
        super().__init__()
        self.banner = Banner()
        self.setCentralWidget(self.banner)


@pytest.fixture
def window(qtbot: QtBot) -> Window:
    new_window = Window()
    qtbot.addWidget(new_window)
    new_window.show()
    return new_window


@pytest.fixture
def watch(
    window: Window, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> Iterator[CrashWatch]:
    crash_watch = CrashWatch(lambda: window, tmp_path / "state")
    (tmp_path / "state").mkdir()
    yield crash_watch
    if crash_watch.dialog is not None:
        crash_watch.dialog.close()


def fail(watch: CrashWatch, text: str = "secret 7") -> None:
    try:
        raise RuntimeError(text)
    except RuntimeError as error:
        watch.report_uncaught(type(error), error, error.__traceback__)


def fail_elsewhere(watch: CrashWatch) -> None:
    try:
        raise KeyError("x")
    except KeyError as error:
        watch.report_uncaught(type(error), error, error.__traceback__)


def wait_for_dialog(watch: CrashWatch, qtbot: QtBot) -> CrashDialog:
    qtbot.waitUntil(lambda: watch.dialog is not None and watch.dialog.isVisible())
    assert watch.dialog is not None
    return watch.dialog


def test_crash_dialog_describes_error(watch: CrashWatch, qtbot: QtBot) -> None:
    fail(watch)
    dialog = wait_for_dialog(watch, qtbot)
    assert (
        "RuntimeError" in dialog.report
        and "secret" in dialog.report
        and "7" not in (dialog.report.split("RuntimeError")[1].splitlines()[0])
    )
    qtbot.mouseClick(dialog.close_button, Qt.MouseButton.LeftButton)
    assert watch.dialog is None


def test_crash_dialog_is_shown_once_per_error(watch: CrashWatch, qtbot: QtBot) -> None:
    fail(watch)
    first = wait_for_dialog(watch, qtbot)
    fail(watch)
    fail_elsewhere(watch)
    qtbot.wait(0)
    assert watch.dialog is first
    first.accept()
    fail(watch)
    qtbot.wait(0)
    assert watch.dialog is None
    fail_elsewhere(watch)
    assert "KeyError" in wait_for_dialog(watch, qtbot).report


def test_crash_dialog_shows_message_of_studio_error(
    watch: CrashWatch, window: Window, qtbot: QtBot
) -> None:
    text = "The table is empty. Choose another."
    try:
        raise DataError(text)
    except DataError as error:
        watch.report_uncaught(type(error), error, error.__traceback__)
    qtbot.waitUntil(window.banner.isVisible)
    assert window.banner.text_label.text() == text
    assert watch.dialog is None


def test_errors_of_other_threads_are_caught(
    watch: CrashWatch, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(threading, "excepthook", threading.excepthook)
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    watch.install_hooks()
    thread = threading.Thread(target=lambda: {}["none"])
    thread.start()
    thread.join()
    watch.restore_hooks()
    assert "KeyError" in wait_for_dialog(watch, qtbot).report


def test_error_in_paint_event_is_caught(
    watch: CrashWatch, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "excepthook", watch.report_uncaught)
    painted: list[int] = []

    class FaultyWidget(QWidget):
        def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
            painted.append(1)
            raise ZeroDivisionError

    widget = FaultyWidget()
    qtbot.addWidget(widget)
    widget.show()
    dialog = wait_for_dialog(watch, qtbot)
    assert "ZeroDivisionError" in dialog.report
    n_before = len(painted)
    widget.update()
    qtbot.waitUntil(lambda: len(painted) > n_before)
    assert watch.dialog is dialog


def test_crash_report_can_be_copied(watch: CrashWatch, qtbot: QtBot) -> None:
    fail(watch)
    dialog = wait_for_dialog(watch, qtbot)
    qtbot.mouseClick(dialog.copy_button, Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text() == dialog.report
    assert dialog.outcome_label.text()


def test_keyboard_interrupt_is_not_crash(
    watch: CrashWatch, qtbot: QtBot, capsys: pytest.CaptureFixture[str]
) -> None:
    watch.report_uncaught(KeyboardInterrupt, KeyboardInterrupt(), None)
    qtbot.wait(0)
    assert watch.dialog is None


CRASH = """
import ctypes, sys
from pathlib import Path
from studio.gui.shell.commands.command_registry import get_action_log
from studio.gui.shell.crash.watch import FaultRecorder
box = FaultRecorder(Path(sys.argv[1]))
box.start_recording()
get_action_log().record_action("page.live")
if sys.argv[2] == "crash":
    ctypes.string_at(0)
if sys.argv[2] == "kill":
    import os, signal
    os.kill(os.getpid(), signal.SIGKILL)
box.stop_recording()
"""


def run(folder: Path, how: str) -> None:
    subprocess.run(
        [sys.executable, "-c", CRASH, str(folder), how], check=False, capture_output=True
    )


@pytest.mark.slow
def test_native_crash_is_reported_once_at_next_start(
    watch: CrashWatch, qtbot: QtBot, tmp_path: Path
) -> None:
    run(tmp_path / "state", "crash")
    watch.offer_previous_report()
    dialog = wait_for_dialog(watch, qtbot)
    assert "Fatal Python error" in dialog.report and "- page.live" in dialog.report
    dialog.accept()
    watch.offer_previous_report()
    assert watch.dialog is None


@pytest.mark.slow
@pytest.mark.parametrize("how", ["well", "kill"])
def test_normal_exit_leaves_no_crash_report(watch: CrashWatch, tmp_path: Path, how: str) -> None:
    run(tmp_path / "state", how)
    assert (how == "kill") == bool(list((tmp_path / "state").iterdir()))
    watch.offer_previous_report()
    assert watch.dialog is None
    assert list((tmp_path / "state").iterdir()) == []


def test_crash_watch_works_without_writable_folder(tmp_path: Path) -> None:
    box = FaultRecorder(tmp_path / "none")
    box.start_recording()
    box.stop_recording()
    assert box.pop_crash_report() == ""


def failing(value: str) -> None:
    raise ValueError(f"could not convert 'Smith' at {value} in \"salary\" to 1.25e-3")


def make_report() -> str:
    try:
        failing("12345")
    except ValueError:
        kind, error, trace = sys.exc_info()
        assert kind is not None and error is not None
        return format_exception_report(kind, error, trace)
    raise AssertionError


def test_report_has_versions_traceback_and_actions() -> None:
    get_action_log().record_action("page.data")
    text = make_report()
    assert text.startswith("Ensemble Studio ")
    assert "Python " in text and "PySide " in text
    assert "ValueError" in text and "in failing" in text and "crash/test_watch.py" in text
    assert "- page.data" in text


def test_report_contains_no_data_values() -> None:
    text = make_report().split("Fault\n")[1].splitlines()[0]
    for value in ("Smith", "12345", "salary", "1.25", "e-3"):
        assert value not in text
    message = "could not convert '…' at # in '…' to #"
    assert text == f"builtins.ValueError: {message}"


def test_report_hides_user_name_and_home_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "home", lambda: Path("/home/ada"))
    monkeypatch.setattr(getpass, "getuser", lambda: "ada")
    anonymous_text = anonymise("/home/ada/x /srv/ada/y adapt")
    assert anonymous_text.split() == ["~/x", "/srv/user/y", "adapt"]


def test_long_message_is_truncated() -> None:
    assert len(remove_values("word " * 1000)) < 500


def test_action_log_keeps_newest_actions() -> None:
    action_log = ActionLog()
    recorded_names: list[str] = []
    action_log.follow(recorded_names.append)
    for number in range(40):
        action_log.record_action(f"n{number}")
    action_log.follow(None)
    action_log.record_action("last")
    assert len(action_log.names) == 30 and action_log.names[-1] == "last"
    assert recorded_names[-1] == "n39" and len(recorded_names) == 40


def test_report_works_without_home_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", unknown)
    monkeypatch.setattr(getpass, "getuser", lambda: "ada")
    assert anonymise("/home/ada/x") == "/home/user/x"
