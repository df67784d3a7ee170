"""Show the window, tell when it was painted first and what memory it takes, and end.

``studio bench first-window`` starts this in a process of its own.
"""

import json
import sys
import time

import psutil
from PySide6.QtCore import QEvent, QObject, QTimer

from studio.gui.app import make_app


class _Watcher(QObject):
    """Prints the moment after the first paint event has been answered."""

    def __init__(self) -> None:
        super().__init__()
        self._seen = False

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if not self._seen and event.type() is QEvent.Type.Paint:
            self._seen = True
            QTimer.singleShot(0, self._tell)
        return super().eventFilter(watched, event)

    def _tell(self) -> None:
        painted = time.monotonic()
        memory = psutil.Process().memory_info().rss
        print(json.dumps({"painted": painted, "memory": memory}), flush=True)
        app = make_app()
        app.quit()


def main() -> int:
    """Be the process that is measured."""
    app = make_app()
    from studio.gui.shell.window import MainWindow

    window = MainWindow()
    watcher = _Watcher()
    window.rail.installEventFilter(watcher)
    window.show()
    return app.exec()


if __name__ == "__main__":
    sys.exit(main())
