"""Random mouse and keyboard input to the complete window during two runs.

``python tests/window/monkey.py --events 20000 --seed 1`` prints events per second and faults:
exceptions, warnings of Qt, freezes of more than two seconds, processes left over at the end. The
exit code is the number of faults. It runs offscreen in a separate folder.
"""

import argparse
import dataclasses
import faulthandler
import math
import os
import random
import shutil
import sys
import tempfile
import time
from pathlib import Path

_FOLDER = Path(tempfile.mkdtemp(prefix="studio-monkey-"))
for _name in ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DOCUMENTS_DIR"):
    os.environ[_name] = str(_FOLDER / "home")
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
(_FOLDER / "home").mkdir()

from monkey_input import RandomInput  # noqa: E402
from monkey_watch import FREEZE_SECONDS, Faults, StallDetector, wait_for_children, widgets  # noqa: E402
from PySide6.QtCore import QObject, QSettings, Qt, QTimer, Signal  # noqa: E402
from PySide6.QtGui import QDesktopServices  # noqa: E402
from PySide6.QtWidgets import QApplication, QFileDialog  # noqa: E402

from studio.assets import RESOURCES  # noqa: E402
from studio.errors import StudioError  # noqa: E402
from studio.gui.app import Shell, make_app  # noqa: E402
from studio.gui.base import preferences  # noqa: E402
from studio.gui.drafts.run_draft import RunDraft  # noqa: E402
from studio.runs.settings import RunSettings  # noqa: E402

RUNS = 2
"""Number of runs in progress."""

_MAX_WORKERS = 2
_KEEPER_MILLISECONDS = 1000
_END_SECONDS = 60.0
_COUNT_EVERY = 1000


class Monkey(QObject):
    """Performs a number of random actions, also while a dialog or menu is open."""

    _turn = Signal()

    def __init__(self, shell: Shell, seed: int, events: int, faults: Faults, folder: Path) -> None:
        super().__init__()
        self._shell, self._faults, self._left = shell, faults, events
        self._chance = random.Random(seed)
        self._folder = folder
        self.files = _make_files(folder)
        self._input = RandomInput(self._chance, self.files)
        self._waiting = False
        self.seconds = 0.0
        # Queued: an action that opens a dialog must not block the timer that handles the dialog.
        self._turn.connect(self._perform_action, Qt.ConnectionType.QueuedConnection)
        self._timer = QTimer(self, interval=0)
        self._timer.timeout.connect(self._ask)
        self._keeper = QTimer(self, interval=_KEEPER_MILLISECONDS)
        self._keeper.timeout.connect(self._ensure_runs)

    def begin(self) -> None:
        """Open a sample, start the runs, and begin once they have trials."""
        self._keeper.start()
        self._ensure_runs()

    # -- actions

    def _ask(self) -> None:
        if not self._waiting:
            self._waiting = True
            self._turn.emit()

    def _perform_action(self) -> None:
        self._waiting = False
        if self._left == 0:
            self._end_acting()
            return
        self._left -= 1
        if self._left % _COUNT_EVERY == 0:
            print(f"{self._left} events left, {widgets().total()} widgets", file=sys.stderr)
        self._faults.event()
        self._input.act()

    def _end_acting(self) -> None:
        if self._timer.isActive():
            self._timer.stop()
            self._keeper.stop()
            self.seconds = time.monotonic() - self._begun
            QTimer.singleShot(0, self._leave)

    def _leave(self) -> None:
        """Close all windows from front to back, then exit."""
        front = QApplication.activePopupWidget() or QApplication.activeModalWidget()
        if front is not None:
            front.close()
            QTimer.singleShot(10, self._leave)
        else:
            QApplication.exit(0)

    # -- maintenance

    def _ensure_runs(self) -> None:
        """Ensure a window, a table and exactly two runs."""
        window = self._shell.window
        if window is None or not window.isVisible():
            if window is not None:
                window.deleteLater()  # the program would have ended as well
            window = self._shell.open_window()
            window.opening.open_last()
        session = window.session
        if QApplication.activeModalWidget() is not None:
            return
        if not window.data.has_file:
            window.opening.open_path(self.files[0])
        going = session.runs.active if session.is_open else []
        if len(going) > RUNS:
            session.control.send_request(going[0].row.id, "stop")
        elif len(going) < RUNS and window.data.is_ready and not window.starter.is_busy:
            if window.starter.get_blocking_problem():
                window.opening.open_path(self.files[0])
            else:
                window.run.change(budget=300, seconds=None)
                window.starter.start()
        if not self._timer.isActive() and len(going) == RUNS and going[-1].trials:
            self._begun = time.monotonic()
            self._timer.start()

    # -- answers to file dialogs

    def path(self, *_: object) -> tuple[str, str]:
        """Answer a file dialog with nothing, a file, or an unwritable path."""
        kind = self._chance.choice(("csv", "pkl", "studio", "json"))
        name = f"{self._chance.choice('abcde')}.{kind}"
        answers = ["", str(self._folder / "out" / name), str(self._chance.choice(self.files))]
        answers += [str(self._folder / "out"), str(self._folder / "none" / name), "/proc/nowhere"]
        return self._chance.choice(answers), ""


def _make_files(folder: Path) -> list[Path]:
    """Return files to open and drop: tables first, then other files."""
    (folder / "out").mkdir()
    good = [folder / "diabetes.csv", folder / "breast_cancer.csv"]
    for path in good:
        shutil.copyfile(RESOURCES / "samples" / path.name, path)
    odd = {
        "empty.csv": b"",
        "head.csv": b"a,b,c\n",
        "one.csv": b"a\n1\n",
        "binary.csv": bytes(range(256)) * 20,
        "broken.studio": b"SQLite format 3\0" + b"x" * 500,
        "owl 🦉.csv": b"x;y\n1,5;a\n2,5;b\n" * 30,
    }
    for name, content in odd.items():
        (folder / name).write_bytes(content)
    return [*good, *(folder / name for name in odd), folder, folder / "not there.csv"]


def _limit_form() -> None:
    """Limit the number of workers that random input can request."""
    make_settings = RunDraft.make_settings

    def settings(self: RunDraft, *given: object, **named: object) -> RunSettings:
        run_settings = make_settings(self, *given, **named)  # type: ignore[arg-type]
        return dataclasses.replace(
            run_settings, workers=min(run_settings.workers, _MAX_WORKERS), cluster=""
        )

    RunDraft.make_settings = settings  # type: ignore[method-assign, assignment]


def _stop_all() -> int:
    """Stop all engines, also of closed documents; return the number of runs.

    Runs continue without a window, as intended.
    """
    from studio.document.store import Document

    count = 0
    for path in _FOLDER.rglob("*.studio"):
        try:
            document = Document.open(path)
        except StudioError:
            continue
        with document:
            for row in document.runs.list_all():
                count += 1
                if document.owners.is_alive(row.id):
                    document.requests.post(row.id, "stop", None)
    return count


def main() -> int:
    """Run the monkey, and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--untimed", action="store_true", help="do not count freezes: the machine may be busy"
    )
    arguments = parser.parse_args()
    QSettings.setDefaultFormat(QSettings.Format.IniFormat)
    QSettings.setPath(QSettings.Format.IniFormat, QSettings.Scope.UserScope, str(_FOLDER / "ini"))
    faulthandler.enable()
    faults = Faults()
    faults.begin()
    app = make_app()
    app.setQuitOnLastWindowClosed(False)
    preferences.save(preferences.Preferences(workers=1))
    _limit_form()
    shell = Shell()
    shell.open_window()
    monkey = Monkey(shell, arguments.seed, arguments.events, faults, _FOLDER)
    QFileDialog.getOpenFileName = monkey.path  # type: ignore[method-assign, assignment]
    QFileDialog.getSaveFileName = monkey.path  # type: ignore[method-assign, assignment]
    QFileDialog.getExistingDirectory = lambda *_: monkey.path()[0]  # type: ignore[method-assign]
    QDesktopServices.openUrl = lambda _: True  # type: ignore[method-assign, assignment]
    with (_FOLDER / "stacks.txt").open("w+", encoding="utf-8") as stacks:
        stall_detector = StallDetector(
            faults, stacks, math.inf if arguments.untimed else FREEZE_SECONDS
        )
        QTimer.singleShot(0, monkey.begin)
        app.exec()
        stall_detector.stop()
    assert shell.window is not None
    shell.window.session.close()
    shell.window.helper.close()
    runs = _stop_all()
    for process in wait_for_children(_stop_all, _END_SECONDS):
        faults.add(f"left over: {process.pid} {' '.join(process.cmdline())}")
        process.kill()
    rate = arguments.events / max(monkey.seconds, 1e-9)
    print(
        f"seed {arguments.seed}: {arguments.events} events in {monkey.seconds:.0f} s "
        f"({rate:.0f} a second), {runs} runs, "
        f"longest stand-still {stall_detector.longest:.2f} s, "
        f"{len(faults.found)} faults",
        flush=True,
    )
    for fault, times in faults.found.items():
        print(f"--- {times} ×\n{fault}")
    shutil.rmtree(_FOLDER, ignore_errors=True)
    return min(len(faults.found), 100)


if __name__ == "__main__":
    sys.exit(main())
