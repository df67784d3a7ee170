"""The search space that is edited: every edit can be taken back, and is kept in the document."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from studio.document.store import Document
from studio.errors import StudioError
from studio.gui.base.undo import UndoStack
from studio.language import translate

if TYPE_CHECKING:
    from studio.space.space import Space

_SAVE_MILLISECONDS = 400

_NAME = "main"


class EditedSpace(QObject):
    """The space that the next run will use, with all its earlier states.

    Attributes:
        history: The space as it is now and as it was, to undo and redo its edits.

    Signals:
        changed: :attr:`value` is another one, whatever the reason (edit, undo, another document).
        obstacle_changed: :attr:`obstacle` is another sentence.
        failed: It could not be read or kept; the text says why and what to do.
    """

    changed = Signal()
    obstacle_changed = Signal()
    failed = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document: Document | None = None
        self.history: UndoStack[Space | None] = UndoStack(None, lambda *_: self._edited())
        self._obstacle = ""
        self._timer = QTimer(self, interval=_SAVE_MILLISECONDS, singleShot=True)
        self._timer.timeout.connect(self._save)

    @property
    def value(self) -> "Space | None":
        """The space as it is now; ``None`` until there is a task to make one for."""
        return self.history.value

    @property
    def obstacle(self) -> str:
        """Why no run can use the space as it is in the editor; empty where nothing is known."""
        return self._obstacle

    def set_blocking_problem(self, why: str) -> None:
        """Say why no run can use the space until it is mended, or "" that one can."""
        if why != self._obstacle:
            self._obstacle = why
            self.obstacle_changed.emit()

    def put(self, space: "Space", what: str) -> None:
        """Make an edited space the current one; ``what`` names the edit for undo."""
        if self.value is None:
            self.history.begin(space)
        else:
            self.history.put(space, what)
        self._edited()

    def resume(self, history: "UndoStack[Space | None]") -> None:
        """Continue with a history of the same document, so that its edits can still be undone."""
        if history.value is not None:
            self.history.resume(history)
            self.changed.emit()

    def begin(self, document: Document) -> None:
        """Read the space of a document that was just opened; only failures are signalled."""
        self._document = document
        if _NAME not in document.spaces.names():
            return
        from studio.space.space import Space

        try:
            self.history.begin(Space.from_json(document.spaces.read(_NAME)))
        except StudioError as error:
            self.failed.emit(translate(str(error)))

    def end(self) -> None:
        """Keep what is left to keep, and let go of the document."""
        self.save_now()
        self._document = None
        self.history.begin(None)
        self.set_blocking_problem("")

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
            self._document.spaces.save(_NAME, self.value.to_json())
        except StudioError as error:
            self.failed.emit(translate(str(error)))
