"""A process with a window in which runs are started, stopped and closed at random times.

Called with a document that does not exist yet, a table, and a seed.
"""

import random
import sys
import tempfile
from pathlib import Path

from PySide6.QtCore import QSettings, QTimer

from studio.gui.app import make_app
from studio.gui.base import preferences
from studio.gui.shell.window import MainWindow

ACTS = 40
LONGEST_PAUSE = 120
"""Milliseconds between two actions."""

PAGES = ("data", "space", "run", "live", "results", "compare")
REQUESTS = ("stop", "pause", "continue")


class Hands:
    """Performs random actions, then closes the window in any state."""

    def __init__(self, window: MainWindow, table: Path, rng: random.Random) -> None:
        self._window, self._table, self._rng = window, table, rng
        self._left = ACTS

    def act(self) -> None:
        """Perform one action, and schedule the next."""
        self._left -= 1
        if not self._left:
            self._window.close()
            return
        QTimer.singleShot(self._rng.randrange(LONGEST_PAUSE), self.act)
        start, request = self._start, self._request
        self._rng.choice((start, start, request, request, self._turn, self._another_budget))()

    def _start(self) -> None:
        starter = self._window.starter
        if self._window.data.is_ready and not starter.get_blocking_problem():
            for _ in range(self._rng.choice((1, 1, 5))):
                starter.start()

    def _request(self) -> None:
        runs = list(self._window.session.runs.active) if self._window.session.is_open else []
        for run in runs:
            for _ in range(self._rng.choice((1, 3))):
                self._window.session.control.send_request(run.row.id, self._rng.choice(REQUESTS))

    def _turn(self) -> None:
        self._window.show_page(self._rng.choice(PAGES))

    def _another_budget(self) -> None:
        self._window.run.change(budget=self._rng.randint(1, 30), seconds=None)


def main() -> int:
    """Open the window and perform the actions."""
    document, table, rng = Path(sys.argv[1]), Path(sys.argv[2]), random.Random(sys.argv[3])
    QSettings.setDefaultFormat(QSettings.Format.IniFormat)
    QSettings.setPath(
        QSettings.Format.IniFormat, QSettings.Scope.UserScope, tempfile.mkdtemp(dir=document.parent)
    )
    app = make_app()
    # Chosen in advance, as nobody answers the question when the window closes.
    leaving = rng.choice(("keep", "pause", "stop"))
    preferences.save(preferences.Preferences(workers=1, leaving=leaving))
    window = MainWindow()
    window.show()
    window.session.create(document)
    window.opening.open_path(table)
    hands = Hands(window, table, rng)
    QTimer.singleShot(0, hands.act)
    app.exec()
    window.session.close()
    window.helper.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
