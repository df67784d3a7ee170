"""Start of the window."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

pytestmark = pytest.mark.slow

HEAVY = ("pandas", "sklearn", "lightgbm", "scipy", "pyqtgraph")

PROGRAM = """
import linecache
import sys
from pathlib import Path
from studio.gui.app import make_app
app = make_app()
from studio.gui.shell.window import MainWindow
window = MainWindow()
window.show()
app.processEvents()
for page in ("data", "run", "results"):
    window.show_page(page)
app.processEvents()
print(sorted(name for name in {heavy} if name in sys.modules))
print(len(linecache.cache))
window.session.close()
window.helper.close()
"""

FIRST = (*HEAVY, "numpy", "sqlite3", "subprocess", "studio.document", "studio.helper")
"""Modules not imported before the window has been painted."""

SEEN = """
import sys
import studio.cli.entry
from studio.gui.app import make_app
app = make_app()
import studio.gui.app
from studio.gui.shell.window import MainWindow
from studio.gui.app import wait_for_first_paint
window = MainWindow(complete=False)
window.show()
wait_for_first_paint(window)
print(sorted(name for name in {first} if name in sys.modules), window.complete)
window.add_parts()
print(window.complete)
window.close()
"""


def test_first_paint_precedes_other_initialisation() -> None:
    process = subprocess.run(
        [sys.executable, "-c", SEEN.format(first=FIRST)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.stdout.splitlines() == ["[] False", "True"], process.stderr


def test_window_imports_no_heavy_library_or_source_file() -> None:
    process = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(heavy=HEAVY)],
        capture_output=True,
        text=True,
        check=False,
    )
    heavy, sources = process.stdout.strip().splitlines()[-2:]
    assert heavy == "[]", process.stderr
    assert int(sources) < 20  # PySide would read the source of each of 600 modules, 13 MB


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="None is immortal there")
def test_repainting_keeps_reference_count_of_none(qapp: QApplication, qtbot: QtBot) -> None:
    # PySide6 6.12 on Python 3.11 loses a reference at each overridden event and finally crashes.
    class EmptyWidget(QWidget):
        def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
            pass

    widget = EmptyWidget()
    qtbot.addWidget(widget)
    widget.show()
    before = sys.getrefcount(None)
    for _ in range(200):
        widget.repaint()
    assert abs(sys.getrefcount(None) - before) < 100


PAINT = """
import psutil
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter
from studio.gui.app import make_app
app = make_app()
before = psutil.Process().num_threads()
image = QImage(1500, 1500, QImage.Format.Format_ARGB32_Premultiplied)
painter = QPainter(image)
painter.setRenderHint(QPainter.RenderHint.Antialiasing)
painter.setPen(Qt.PenStyle.NoPen)
painter.setBrush(QColor(10, 20, 30, 128))
painter.drawEllipse(QRectF(0, 0, 1500, 1500))
painter.end()
print(psutil.Process().num_threads() - before)
"""


def test_painting_does_not_wait_for_threads() -> None:
    process = subprocess.run(
        [sys.executable, "-c", PAINT], capture_output=True, text=True, check=False
    )
    assert process.stdout.strip().splitlines()[-1:] == ["0"], process.stderr


ASKED = """
import sys
from pathlib import Path
from PySide6.QtCore import QTimer, QUrl
from PySide6.QtGui import QFileOpenEvent
from studio.document.store import Document
from studio.gui import app as program
path = Path(sys.argv[1])
Document.create(path).close()
app = program.make_app()
ask = QFileOpenEvent(QUrl.fromLocalFile(str(path)))
QTimer.singleShot({after}, lambda: app.sendEvent(app, ask))
def look():
    if any(path.stem in window.windowTitle() for window in app.topLevelWidgets()):
        print("opened")
        app.quit()
looking = QTimer(interval=20)
looking.timeout.connect(look)
looking.start()
program.main()
"""


@pytest.mark.parametrize("after", [0, 3000], ids=["before the first paint", "later"])
def test_macos_file_open_event_opens_document(after: int, tmp_path: Path) -> None:
    # macOS sends an event to the running program; other systems pass the file on its command line.
    home = {"XDG_CONFIG_HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path)}
    process = subprocess.run(
        [sys.executable, "-c", ASKED.format(after=after), str(tmp_path / "asked.studio")],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **home},
    )
    assert process.stdout.splitlines() == ["opened"], process.stderr


GARBAGE = """
import gc
import weakref
from PySide6.QtCore import QTimer
from studio.gui import app as program
app = program.make_app()
class Cycle:
    def __init__(self):
        self.itself = self
cycles = []
def make_garbage():
    cycles.append(weakref.ref(Cycle()))
    for _ in range(3 * gc.get_threshold()[0]):
        Cycle()
def look():
    if cycles and cycles[0]() is None:
        print("collected", gc.isenabled())
        app.quit()
QTimer.singleShot(1000, make_garbage)
looking = QTimer(interval=20)
looking.timeout.connect(look)
looking.start()
QTimer.singleShot(60_000, app.quit)
program.main()
"""


def test_window_collects_garbage_between_events_only(tmp_path: Path) -> None:
    home = {"XDG_CONFIG_HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path)}
    process = subprocess.run(
        [sys.executable, "-c", GARBAGE],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **home},
    )
    assert process.stdout.splitlines() == ["collected False"], process.stderr


START = """
from PySide6.QtCore import QTimer
from studio.gui.app import make_app
app = make_app()
print(QTimer(interval=20).interval())
"""


def test_window_starts_in_turkish(tmp_path: Path) -> None:
    """Turkish capitalises "i" differently, which used to break PySide's setters."""
    source = Path("/usr/share/i18n/locales/tr_TR")
    if shutil.which("localedef") is None or not source.exists():
        pytest.skip("a Turkish locale cannot be made here")
    locale_path = tmp_path / "tr_TR.UTF-8"
    subprocess.run(["localedef", "-i", "tr_TR", "-f", "UTF-8", str(locale_path)], check=True)
    process = subprocess.run(
        [sys.executable, "-c", START],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "LOCPATH": str(tmp_path), "LC_ALL": "tr_TR.UTF-8"},
    )
    assert process.stdout.split() == ["20"], process.stderr


def test_start_without_locale_prints_nothing() -> None:
    process = subprocess.run(
        [sys.executable, "-c", START],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "LC_ALL": "C"},
    )
    assert process.stdout.split() == ["20"], process.stderr
    assert process.stderr == ""
