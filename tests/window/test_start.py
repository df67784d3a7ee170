"""Input during the start is processed once the window is complete."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from studio.document.store import Document

pytestmark = [pytest.mark.window, pytest.mark.slow]

EARLY_INPUT = """
import subprocess, sys
from pathlib import Path
from PySide6.QtCore import QEventLoop, QTimer
from PySide6.QtWidgets import QApplication
from studio.gui import app

painted = app.wait_for_first_paint
windows = []

def paint_and_type(window):
    painted(window)
    windows.append(window)
    subprocess.run(
        ["xdotool", "search", "--sync", "--onlyvisible", "--name", "Ensemble Studio",
         "windowactivate", "--sync", "key", "--clearmodifiers", "ctrl+k"],
        check=True,
    )
    # The keys are in the queue by now; nothing may take them from a window that is not whole.
    later = QEventLoop()
    QTimer.singleShot(300, later.quit)
    later.exec(QEventLoop.ProcessEventsFlag.ExcludeUserInputEvents)
    assert not window.complete

app.wait_for_first_paint = paint_and_type

def look():
    window = windows[0]
    if window.palette_box.isVisible() and window.session.path == Path(sys.argv[1]):
        print("both", flush=True)
        window.close()

app.make_app()
beat = QTimer(interval=50)
beat.timeout.connect(look)
beat.start()
app.main(sys.argv[1])
"""


def test_early_key_presses_and_file_argument_are_processed(display: str, tmp_path: Path) -> None:
    path = tmp_path / "named.studio"
    Document.create(path).close()
    home = {"XDG_DATA_HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}
    process = subprocess.run(
        [sys.executable, "-c", EARLY_INPUT, str(path)],
        env={**os.environ, **home, "DISPLAY": display, "QT_QPA_PLATFORM": "xcb"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.stdout.split() == ["both"], process.stderr
