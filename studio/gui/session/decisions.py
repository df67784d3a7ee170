"""How labels of two classes are decided: kept in the document, every change undoable."""

from collections.abc import Mapping

from PySide6.QtCore import QObject, Signal

from studio.document.decision import Decision
from studio.document.store import Document
from studio.errors import StudioError
from studio.gui.base.language import said, tr
from studio.gui.base.undo import UndoStack
from studio.gui.session.following import Following
from studio.gui.session.runs import Runs

Decided = Mapping[int, Decision | None]


class Decisions(QObject):
    """Writes decisions, and takes them back.

    Parameters
    ----------
    runs, following
        What is known of the runs, and who reads what was written.

    Signals
    -------
    failed : str
        One could not be kept; the text says why.
    """

    failed = Signal(str)

    def __init__(self, runs: Runs, following: Following, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._runs, self._following = runs, following
        self._document: Document | None = None
        self._stack: UndoStack[Decided] = UndoStack({})

    def begin(self, document: Document) -> None:
        """Decide in a document that was just opened; nothing of another one can be undone."""
        self._document, self._stack = document, UndoStack({})

    def end(self) -> None:
        """Let go of the document."""
        self._document = None

    def keep(self, run_id: int, decision: Decision | None) -> None:
        """Keep a decision about a run; ``None`` leaves its labels to its method."""
        before = dict(self._stack.value)
        before.setdefault(run_id, self._runs.view(run_id).row.decision)
        after = {**before, run_id: decision}
        if not self._write(before, after):
            return
        if before != self._stack.value:
            self._stack.amend(before)
        what = tr("decide by a threshold") if decision else tr("decide as the method does")
        self._stack.put(after, what)

    def undo(self) -> None:
        """Take the last change back."""
        before = self._stack.value
        if self._stack.undo():
            self._write(before, self._stack.value)

    def redo(self) -> None:
        """Make the change undone last again."""
        before = self._stack.value
        if self._stack.redo():
            self._write(before, self._stack.value)

    @property
    def undo_text(self) -> str:
        """What undo would take back; empty if nothing."""
        return self._stack.undo_text

    @property
    def redo_text(self) -> str:
        """What redo would make again; empty if nothing."""
        return self._stack.redo_text

    def _write(self, before: Decided, after: Decided) -> bool:
        """Write what is another one; return whether that could be done."""
        assert self._document is not None, "no document is open"
        try:
            for run_id, decision in after.items():
                if run_id not in before or before[run_id] != decision:
                    self._document.decide(run_id, decision)
        except StudioError as error:
            self.failed.emit(said(str(error)))
            return False
        self._following.poll()
        return True
