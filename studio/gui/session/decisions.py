"""How labels of two classes are decided: kept in the document, every change undoable."""

from collections.abc import Mapping

from PySide6.QtCore import QObject, Signal

from studio.document.decision import Decision
from studio.document.store import Document
from studio.errors import StudioError
from studio.gui.base.undo import UndoStack
from studio.gui.session.runs import Following, RunViews
from studio.language import tr, translate

Decided = Mapping[int, Decision | None]


class Decisions(QObject):
    """Writes decisions, and takes them back.

    Args:
        runs, following: What is known of the runs, and who reads what was written.

    Attributes:
        history: What was decided since the document was opened, by run.

    Signals:
        failed: One could not be kept; the text says why.
    """

    failed = Signal(str)

    def __init__(self, runs: RunViews, following: Following, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._runs, self._following = runs, following
        self._document: Document | None = None
        self.history: UndoStack[Decided] = UndoStack({}, self._write)

    def begin(self, document: Document) -> None:
        """Decide in a document that was just opened; nothing of another one can be undone."""
        self._document = document
        self.history.begin({})

    def end(self) -> None:
        """Let go of the document, and of what was decided in it."""
        self._document = None
        self.history.begin({})

    def keep(self, run_id: int, decision: Decision | None) -> None:
        """Keep a decision about a run; ``None`` leaves its labels to its method."""
        before = dict(self.history.value)
        before.setdefault(run_id, self._runs.view(run_id).row.decision)
        after = {**before, run_id: decision}
        if not self._write(before, after):
            return
        if before != self.history.value:
            self.history.amend(before)
        what = tr("decide by a threshold") if decision else tr("decide as the method does")
        self.history.put(after, what)

    def _write(self, before: Decided, after: Decided) -> bool:
        """Write what is another one, of runs that there are; return whether that could be done."""
        assert self._document is not None, "no document is open"
        try:
            for run_id, decision in after.items():
                if run_id in self._runs.ids and (
                    run_id not in before or before[run_id] != decision
                ):
                    self._document.runs.decide(run_id, decision)
        except StudioError as error:
            self.failed.emit(translate(str(error)))
            return False
        self._following.poll()
        return True
