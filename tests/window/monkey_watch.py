"""Faults detected in the monkey test: exceptions, Qt warnings, freezes, leftover processes."""

import faulthandler
import sys
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import psutil
from PySide6.QtCore import QObject, Qt, QTimer, QtMsgType, qInstallMessageHandler
from PySide6.QtWidgets import QApplication

FREEZE_SECONDS = 2.0
_BEAT_MILLISECONDS = 50
_HARMLESS = (
    "This plugin does not support propagateSizeHints()",
    "This plugin does not support raise()",
    "This plugin does not support grabbing the keyboard",
    "This plugin does not support grabbing the mouse",
    "Keyboard event not accepted by receiving widget",
)
"""Messages of the offscreen platform and of the test library."""


class Faults:
    """Records unexpected errors and warnings, once per location."""

    def __init__(self) -> None:
        self.found: dict[str, int] = {}
        self._events = 0

    def begin(self) -> None:
        """Replace the hooks of Python and Qt for exceptions and messages."""
        sys.excepthook = lambda *given: self.add("".join(traceback.format_exception(*given)))
        threading.excepthook = lambda given: self.add(
            "in a thread: "
            + "".join(
                traceback.format_exception(given.exc_type, given.exc_value, given.exc_traceback)
            )
        )
        sys.unraisablehook = lambda given: self.add(
            f"unraisable: {given.err_msg} {given.object!r}: {given.exc_value!r}"
        )
        qInstallMessageHandler(self._record_message)

    def event(self) -> None:
        """Count an event, to reproduce faults."""
        self._events += 1

    def add(self, text: str) -> None:
        """Record a fault, and print it if it is new."""
        if text not in self.found:
            print(f"FAULT at event {self._events}: {text}", file=sys.stderr, flush=True)
        self.found[text] = self.found.get(text, 0) + 1

    def _record_message(self, kind: QtMsgType, _: Any, text: str) -> None:
        if kind in {QtMsgType.QtDebugMsg, QtMsgType.QtInfoMsg} or text in _HARMLESS:
            return
        where = "".join(traceback.format_stack(limit=6)[:-1])
        self.add(f"Qt says ({kind.name}): {text}\n{where}")


class StallDetector(QObject):
    """Detects stalls of the event loop.

    The stack of a freeze is written while it lasts, by a thread in C that needs no lock. The
    time that the main thread waited for a processor is subtracted.
    """

    def __init__(self, faults: Faults, stacks: IO[str], limit: float) -> None:
        super().__init__()
        self._faults, self._stacks, self._limit = faults, stacks, limit
        self.longest = 0.0
        self._last, self._waited = time.monotonic(), _get_wait_seconds()
        self._timer = QTimer(self, interval=_BEAT_MILLISECONDS)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._beat)
        self._timer.start()

    def stop(self) -> None:
        """Stop the detection of stalls."""
        self._timer.stop()
        faulthandler.cancel_dump_traceback_later()

    def _beat(self) -> None:
        now, waited = time.monotonic(), _get_wait_seconds()
        stood = now - self._last - (waited - self._waited)
        self._last, self._waited = now, waited
        self.longest = max(self.longest, stood)
        if stood > self._limit:
            self._stacks.flush()
            path = Path(self._stacks.name)
            self._faults.add(f"frozen for {stood:.1f} s:\n{path.read_text('utf-8')}")
        if self._stacks.tell():
            self._stacks.seek(0)
            self._stacks.truncate()
        faulthandler.dump_traceback_later(FREEZE_SECONDS, file=self._stacks)


def widgets() -> Counter[str]:
    """Return the number of widgets of each class."""
    return Counter(type(each).__name__ for each in QApplication.allWidgets())


def wait_for_children(ask: Callable[[], object], patience: float) -> list[psutil.Process]:
    """Wait for this process's children; return the remaining ones.

    The time that a child waited for a processor is subtracted.

    Args:
        ask: Called in every round; requests their end.
        patience: Seconds.
    """
    while True:
        children = psutil.Process().children(recursive=True)
        begun = {each.pid: _get_wait_seconds(f"{each.pid}") for each in children}
        clock = time.monotonic()
        _, alive = psutil.wait_procs(children, timeout=1.0)
        going = [each for each in alive if each.status() != psutil.STATUS_ZOMBIE]
        if not going or patience < 0:
            return going
        waited = max(_get_wait_seconds(f"{each.pid}") - begun[each.pid] for each in going)
        patience -= max(time.monotonic() - clock - max(waited, 0), 0)
        ask()


def _get_wait_seconds(process: str = "thread-self") -> float:
    """Return the seconds that a process's main thread waited for a processor.

    0 for a process that has ended.
    """
    try:
        return int(Path("/proc", process, "schedstat").read_text().split()[1]) / 1e9
    except (FileNotFoundError, ProcessLookupError):
        return 0.0
