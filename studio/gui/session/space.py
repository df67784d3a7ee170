"""The search space that is edited: every edit can be taken back, and is kept in the document."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from studio.document.store import Document
from studio.errors import StudioError
from studio.gui.base.language import said
from studio.gui.base.undo import UndoStack

if TYPE_CHECKING:
    from studio.space.space import Space

_SAVE_MILLISECONDS = 400

_NAME = "main"


class EditedSpace(QObject):
    """The space that the next run will use, with all its earlier states.

    Signals
    -------
    changed
        :attr:`value` is another one, whatever the reason (edit, undo, another document).
    obstacle_changed
        :attr:`obstacle` is another sentence.
    failed : str
        It could not be read or kept; the text says why and what to do.
    """

    changed = Signal()
    obstacle_changed = Signal()
    failed = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document: Document | None = None
        self._history: UndoStack[Space] | None = None
        self._obstacle = ""
        self._timer = QTimer(self, interval=_SAVE_MILLISECONDS, singleShot=True)
        self._timer.timeout.connect(self._save)

    @property
    def value(self) -> "Space | None":
        """The space as it is now; ``None`` until there is a task to make one for."""
        return None if self._history is None else self._history.value

    @property
    def obstacle(self) -> str:
        """Why no run can use the space as it is in the editor; empty where nothing is known."""
        return self._obstacle

    def hinder(self, why: str) -> None:
        """Say why no run can use the space until it is mended, or "" that one can."""
        if why != self._obstacle:
            self._obstacle = why
            self.obstacle_changed.emit()

    def put(self, space: "Space", what: str) -> None:
        """Make an edited space the current one; ``what`` names the edit for undo."""
        if self._history is None:
            self._history = UndoStack(space)
        else:
            self._history.put(space, what)
        self._edited()

    def undo(self) -> None:
        """Take the last edit back."""
        if self._history is not None and self._history.undo():
            self._edited()

    def redo(self) -> None:
        """Make the edit undone last again."""
        if self._history is not None and self._history.redo():
            self._edited()

    @property
    def undo_text(self) -> str:
        """What undo would take back; empty if nothing."""
        return "" if self._history is None else self._history.undo_text

    @property
    def redo_text(self) -> str:
        """What redo would make again; empty if nothing."""
        return "" if self._history is None else self._history.redo_text

    @property
    def history(self) -> "UndoStack[Space] | None":
        """The space with all its states, for :meth:`resume`."""
        return self._history

    def resume(self, history: "UndoStack[Space] | None") -> None:
        """Continue with a history of the same document, so that its edits can still be undone."""
        if history is not None:
            self._history = history
            self.changed.emit()

    def begin(self, document: Document) -> None:
        """Read the space of a document that was just opened; only failures are signalled."""
        self._document = document
        if not any(row.name == _NAME for row in document.spaces()):
            return
        from studio.space.space import Space

        try:
            self._history = UndoStack(Space.from_json(document.space(_NAME)))
        except StudioError as error:
            self.failed.emit(said(str(error)))

    def end(self) -> None:
        """Keep what is left to keep, and let go of the document."""
        self.save_now()
        self._document = self._history = None
        self.hinder("")

    def save_now(self) -> None:
        """Write what waits to be written."""
        if self._timer.isActive():
            self._timer.stop()
            self._save()

    def _edited(self) -> None:
        self._timer.start()
        self.changed.emit()

    def _save(self) -> None:
        if self._document is None or self.value is None or not self._document.writable:
            return
        try:
            self._document.save_space(_NAME, self.value.to_json())
        except StudioError as error:
            self.failed.emit(said(str(error)))
