"""Removing runs: out of sight at once, out of the document when nobody wants them back."""

import contextlib
from functools import partial
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QObject, QTimer, Signal

from studio.document.store import Document
from studio.errors import DocumentError
from studio.gui.base.helper_client import HelperClient
from studio.gui.session.session import Session

GRACE_MILLISECONDS = 12_000
"""How long a removal can be taken back."""


class RunRemoval(QObject):
    """Hides runs, and removes them for good a little later.

    If the program dies in between, the runs are still there: nothing is lost.

    Args:
        session, helper: Where the runs are; who removes them, since many predictions take a while.
    """

    changed = Signal()
    """:attr:`waiting` is another tuple."""

    failed = Signal(str)

    def __init__(
        self, session: Session, helper: HelperClient, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._session, self._helper = session, helper
        self._path: Path | None = None
        self._waiting: tuple[int, ...] = ()
        self._timer = QTimer(self, interval=GRACE_MILLISECONDS, singleShot=True)
        self._timer.timeout.connect(self.finish)
        session.document_changed.connect(self._document_changed)
        app = QCoreApplication.instance()
        if app is not None:
            app.aboutToQuit.connect(self.finish_now)

    @property
    def waiting(self) -> tuple[int, ...]:
        """Runs that are out of sight and can still be brought back."""
        return self._waiting

    def remove(self, run_ids: list[int]) -> None:
        """Take runs out of sight; those of the removal before are gone for good then."""
        self.finish()
        wanted = [each for each in run_ids if not self._session.control.is_alive(each)]
        if not wanted:
            return
        self._path, self._waiting = self._session.path, tuple(wanted)
        for run_id in wanted:
            self._session.runs.hide(run_id, hidden=True)
        self._timer.start()
        self.changed.emit()

    def undo(self) -> None:
        """Bring the runs of the last removal back."""
        waiting, self._waiting = self._waiting, ()
        self._timer.stop()
        for run_id in waiting:
            self._session.runs.hide(run_id, hidden=False)
        self.changed.emit()

    def finish(self) -> None:
        """Remove for good what waits."""
        waiting, self._waiting = self._waiting, ()
        self._timer.stop()
        for run_id in waiting:
            self._helper.request(
                "remove_run",
                {"document": str(self._path), "run": run_id},
                lambda _: None,
                partial(self._could_not, run_id),
            )
        if waiting:
            self.changed.emit()

    def finish_now(self) -> None:
        """Remove for good what waits, in this process: the program is about to end."""
        waiting, self._waiting = self._waiting, ()
        if waiting and self._path is not None:
            with contextlib.suppress(DocumentError), Document.open(self._path) as document:
                for run_id in waiting:
                    document.remove_run(run_id)

    def _could_not(self, run_id: int, message: str) -> None:
        self._session.runs.hide(run_id, hidden=False)
        self.failed.emit(message)

    def _document_changed(self) -> None:
        if self._session.path != self._path:
            self.finish()
