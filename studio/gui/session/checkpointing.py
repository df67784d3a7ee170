"""Checkpoints the document's write-ahead log, so that copies of the file are complete.

During a run, its engine checkpoints with each trial. Without a run, hours of edits would be only in
the log until the document is closed. Flushing a busy disk would block the window, so a separate
thread does it, on a separate connection.
"""

import threading
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QTimer

from studio.document.store import Document
from studio.errors import StudioError
from studio.system.threads import start_thread

_DEBOUNCE_MS = 400
"""Rapid writes, such as those of a drag, share one checkpoint."""

_RETRY_SECONDS = 0.5
"""Delay before a retry if a reader still needed the old pages."""


class Checkpointer(QObject):
    """Checkpoints the open document soon after each of the window's writes."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document: Document | None = None
        self._thread: threading.Thread | None = None
        self._ended = threading.Event()
        self._timer = QTimer(self, interval=_DEBOUNCE_MS, singleShot=True)
        self._timer.timeout.connect(self._start)

    @property
    def pending(self) -> bool:
        """Whether some writes may not be in the document's file yet."""
        at_work = self._thread is not None and self._thread.is_alive()
        return at_work or self._timer.isActive()

    def attach(self, document: Document) -> None:
        """Attach to a newly opened document."""
        self._document = document
        self._ended = threading.Event()
        document.on_commit = self._schedule

    def detach(self) -> None:
        """Detach from a closing document; wait for a checkpoint in progress."""
        self._timer.stop()
        if self._document is not None:
            self._document.on_commit = None
        self._document = None
        self._ended.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _schedule(self) -> None:
        if not self._timer.isActive():
            self._timer.start()

    def _start(self) -> None:
        if self._document is None:
            return
        if self._thread is not None and self._thread.is_alive():
            self._schedule()
            return
        work = partial(_checkpoint, self._document.path, self._ended)
        thread = threading.Thread(target=work, name="checkpoint", daemon=True)
        try:
            start_thread(thread)
        except OSError:  # out of memory
            self._schedule()
        else:
            self._thread = thread


def _checkpoint(path: Path, ended: threading.Event) -> None:
    """Checkpoint the log, unless the document has been closed (and checkpointed)."""
    try:
        # The window has checked it.
        with Document(path, writable=True, verify=False) as document:
            while not ended.is_set():
                version = document.get_data_version()
                # A checkpoint of an engine that wrote meanwhile was blocked by this one.
                if document.checkpoint() and document.get_data_version() == version:
                    return
                ended.wait(_RETRY_SECONDS)
    except StudioError:
        pass  # moved, or on a removed disk, which the document's watcher reports
