"""Run ``studio`` without arguments; print the times of first paint and first input, and exit.

``python packaging/bench first-window`` starts this in a separate process.
"""

import json
import runpy
import sys
import time

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QApplication

from studio.gui.app import make_app
from studio.gui.shell.window import MainWindow


class _Watcher(QObject):
    """Prints the times of the first paint event and of the complete window."""

    def __init__(self, app: QApplication) -> None:
        super().__init__()
        self._app = app
        self._window: MainWindow | None = None
        self._times: dict[str, float] = {}
        app.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Paint and isinstance(watched, MainWindow):
            self._app.removeEventFilter(self)
            self._window = watched
            QTimer.singleShot(0, self._painted)
        return super().eventFilter(watched, event)

    def _painted(self) -> None:
        self._times = {"painted": time.monotonic(), "cpu": time.process_time()}
        self._look()

    def _look(self) -> None:
        """Exit once the window accepts input."""
        if self._window is None or not self._window.complete:
            QTimer.singleShot(0, self._look)
            return
        import psutil  # imported late, as the program does not load it before its first paint

        memory = psutil.Process().memory_info().rss
        print(json.dumps({**self._times, "ready": time.monotonic(), "memory": memory}), flush=True)
        self._app.quit()


def main() -> None:
    """Run the measured process, like ``python -m studio``."""
    watcher = _Watcher(make_app())
    sys.argv[1:] = []
    runpy.run_module("studio", run_name="__main__")
    del watcher
