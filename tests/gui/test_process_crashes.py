"""Runs survive the death of the window, and the window survives that of an engine."""

import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import psutil
import pytest

from studio.document.store import Document
from studio.gui.session.session import Session
from studio.runs.settings import RunSettings, TableSource

pytestmark = pytest.mark.slow

WINDOW = """
import sys
from pathlib import Path
from PySide6.QtCore import QTimer
from studio.gui.app import make_app
from studio.gui.shell.window import MainWindow
app = make_app()
window = MainWindow()
window.show()
window.session.open(Path(sys.argv[1]))
window.session.control.start(1)
QTimer.singleShot(0, lambda: print("started", flush=True))
app.exec()
"""

WATCHING = """
import sys
from pathlib import Path
from PySide6.QtCore import QTimer
from studio.gui.app import make_app
from studio.gui.shell.window import MainWindow
app = make_app()
window = MainWindow()
window.show()
session = window.session
session.open(Path(sys.argv[1]))
session.control.start(1)
seen = []

def report():
    view = session.runs.get_view(1)
    line = (len(view.trials), view.state)
    if line not in seen:
        seen.append(line)
        print(*line, flush=True)

timer = QTimer(interval=20)
timer.timeout.connect(report)
timer.start()
app.exec()
"""


@pytest.fixture
def document(tmp_path: Path) -> Path:
    table = tmp_path / "t.csv"
    rows = [f"{i % 9},{(i * 7) % 13},{'xy'[(i % 9) > 4]}" for i in range(80)]
    table.write_text("a,b,target\n" + "\n".join(rows) + "\n")
    path = tmp_path / "w.studio"
    settings = RunSettings(method="RS", budget=25, workers=1, source=TableSource(path=str(table)))
    with Document.create(path) as new_document:
        new_document.runs.add("run", settings.to_json())
    return path


def wait_for(path: Path, condition: Any) -> None:
    """Poll the document until a condition holds."""
    while True:
        with Document.open(path, writable=False) as document:
            if condition(document):
                return
        time.sleep(0.05)


@pytest.mark.skipif(sys.platform == "win32", reason="kill -9 is a POSIX signal")
def test_run_continues_after_window_is_killed(document: Path) -> None:
    window = subprocess.Popen(
        [sys.executable, "-c", WINDOW, str(document)], stdout=subprocess.PIPE, text=True
    )
    try:
        assert window.stdout is not None
        assert window.stdout.readline().strip() == "started"
        wait_for(document, lambda d: d.trials.count(1) >= 3)
    finally:
        window.kill()
        window.communicate()
    with Document.open(document, writable=False) as opened:
        assert opened.runs.get(1).state == "running"
    wait_for(
        document, lambda d: d.runs.get(1).state == "finished" and not d.runs.get(1).is_owner_alive
    )
    with Document.open(document, writable=False) as opened:
        assert opened.trials.count(1) == 25


@pytest.mark.skipif(sys.platform == "win32", reason="SIGSTOP is a POSIX signal")
def test_suspended_window_loses_no_trial(document: Path) -> None:
    window = subprocess.Popen(
        [sys.executable, "-c", WATCHING, str(document)], stdout=subprocess.PIPE, text=True
    )
    try:
        assert window.stdout is not None
        states = iter(window.stdout.readline, "")
        assert any(int(each.split()[0]) >= 3 for each in states)
        window.send_signal(signal.SIGSTOP)
        wait_for(
            document,
            lambda d: d.runs.get(1).state == "finished" and not d.runs.get(1).is_owner_alive,
        )
        window.send_signal(signal.SIGCONT)
        after = [each.split() for each in iter(window.stdout.readline, "25 finished\n")]
        assert {state for _, state in after} <= {"running", "finished"}
    finally:
        window.kill()
        window.communicate()


@pytest.mark.skipif(sys.platform == "win32", reason="kill -9 is a POSIX signal")
def test_window_resumes_run_of_killed_engine(document: Path, qtbot: Any) -> None:
    session = Session()
    session.open(document)
    try:
        session.control.start(1)
        qtbot.waitUntil(lambda: len(session.runs.get_view(1).trials) >= 3)
        owner = session.document.runs.get(1).owner
        assert owner is not None
        psutil.Process(owner.pid).kill()
        qtbot.waitUntil(lambda: session.runs.get_view(1).state == "interrupted")
        before = [trial.configuration for trial in session.runs.get_view(1).trials]
        session.control.send_request(1, "continue")
        qtbot.waitUntil(lambda: session.runs.get_view(1).row.state == "finished")
        after = [trial.configuration for trial in session.runs.get_view(1).trials]
        assert len(after) == 25
        assert after[: len(before)] == before
        qtbot.waitUntil(lambda: not session.control.is_alive(1))
    finally:
        session.close()
