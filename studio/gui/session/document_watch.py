"""Watcher of the open document's file for external changes, with messages."""

import hashlib
import os
from pathlib import Path

from PySide6.QtCore import QLockFile, QObject, QTimer, Signal

from studio.document.connection import get_identity
from studio.gui.base.user_paths import ensure_user_folder
from studio.gui.session.session import Session
from studio.language import tr

POLL_MS = 2000


class DocumentWatch(QObject):
    """Checks the open document's file every two seconds.

    Signals:
        problem_found: The file was deleted, moved, replaced or cannot be written, or another window
            has it open; each is reported once.
    """

    problem_found = Signal(str)

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._path: Path | None = None
        self._identity: tuple[int, int] | None = None
        self._reported_problem = ""
        self._lock: QLockFile | None = None
        self._timer = QTimer(self, interval=POLL_MS)
        self._timer.timeout.connect(self.check_now)
        session.document_changed.connect(self._on_document_change)

    def check_now(self) -> None:
        """Check once, now."""
        if self._path is None:
            return
        problem = self._find_problem(self._path)
        if problem and problem != self._reported_problem:
            self.problem_found.emit(problem)
        self._reported_problem = problem

    def _on_document_change(self) -> None:
        if self._session.path == self._path and self._path is not None:
            return
        self._timer.stop()
        if self._lock is not None:
            self._lock.unlock()
            self._lock = None
        self._reported_problem = ""
        self._path = self._session.path
        if self._path is None:
            return
        self._identity = get_identity(self._path)
        self._lock = QLockFile(str(get_lock_path(self._path)))
        self._lock.setStaleLockTime(0)
        if not self._lock.tryLock(0) and self._lock.error() is QLockFile.LockError.LockFailedError:
            # Reported after the document is shown, as showing it clears messages.
            QTimer.singleShot(0, self._warn_of_second_window)
        self._timer.start()

    def _warn_of_second_window(self) -> None:
        if self._path is not None:
            self.problem_found.emit(
                tr(
                    "{name} is also open in another window. Both follow its runs; where both "
                    "change a setting, the last change is kept.",
                    name=self._path.name,
                )
            )

    def _find_problem(self, path: Path) -> str:
        identity = get_identity(path)
        if identity is None:
            return tr(
                "{name} has been moved, renamed or deleted, or its disk was removed. Put it "
                "back, or use Save as… to save a copy elsewhere.",
                name=path.name,
            )
        if identity != self._identity:
            return tr(
                "{name} was replaced by another file. Open it again to see the new file; this "
                "window still shows the old document.",
                name=path.name,
            )
        if not os.access(path, os.W_OK) or not os.access(path.parent, os.W_OK):
            return tr(
                "{name} is no longer writable, so changes are not saved. Allow writing to the "
                "file and its folder, or use Save as… to save it elsewhere.",
                name=path.name,
            )
        return ""


def get_lock_path(path: Path) -> Path:
    """Return a document's lock file, in the user's data folder, not the document's folder."""
    name = hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:24]
    return ensure_user_folder("locks") / f"{name}.lock"
