"""A line of text that is checked at every key and taken after a pause, on Return or on leaving."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QLineEdit

from studio.gui.pages.space.chips import ChipLine
from studio.gui.pages.space.range_axis import RangeAxisView

_PAUSE_MILLISECONDS = 500


class LateEdit(QLineEdit):
    """One step of undo for what was typed in one go, not one for every key.

    Args:
        check: Called with the text at every key: shows beside the field what is wrong with it.
            Returns whether the text can be taken.
        take: Called with a text that can be taken, when typing pauses or ends.
        keep: Called with a text that cannot be taken when typing pauses or ends, so that it is not
            lost; with ``None`` when there is no such text any more.
    """

    def __init__(
        self,
        check: Callable[[str], bool],
        take: Callable[[str], object],
        keep: Callable[[str | None], object] = lambda _: None,
    ) -> None:
        super().__init__()
        self._check, self._take, self._keep = check, take, keep
        self._shown = ""
        self._timer = QTimer(self, interval=_PAUSE_MILLISECONDS, singleShot=True)
        self._timer.timeout.connect(self.finish)
        self.textEdited.connect(self._edited)
        self.editingFinished.connect(self.finish)

    def show_text(self, text: str, *, fresh: bool = False) -> None:
        """Show a text set from elsewhere; what is being typed is left alone, unless ``fresh``."""
        typing = self.hasFocus() and self.text() != self._shown and not fresh
        changed = text != self._shown
        self._shown = text
        if typing and (not changed or self._timer.isActive()):
            return
        self._timer.stop()
        if self.text() != text or fresh:
            place = self.cursorPosition()
            self.setText(text)
            self.setCursorPosition(min(place, len(text)) if self.hasFocus() and not fresh else 0)

    def show_draft(self, text: str) -> None:
        """Show what was typed earlier and cannot be taken, with what is wrong with it."""
        if self.text() != text and not self._timer.isActive():
            self.setText(text)
        self._check(self.text())

    def retire(self) -> None:
        """Take nothing any more: the row that this line was for is no longer shown."""
        self._timer.stop()
        self._shown = self.text()

    def finish(self) -> None:
        """Take what was typed, now; keep it where it cannot be taken."""
        self._timer.stop()
        text = self.text()
        if text == self._shown:
            return
        if not self._check(text):
            self._keep(text)
            return
        self._shown = text
        self._keep(None)
        self._take(text)

    def _edited(self, text: str) -> None:
        self._check(text)
        self._timer.start()

    def event(self, event: QEvent) -> bool:
        """Leave undo and redo to the page where the line itself has none to offer."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            settled = self.text() == self._shown
            if settled and (
                event.matches(QKeySequence.StandardKey.Undo)
                or event.matches(QKeySequence.StandardKey.Redo)
            ):
                event.ignore()
                return False
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Take back what was typed on Escape."""
        if event.key() == Qt.Key.Key_Escape and self.text() != self._shown:
            self._timer.stop()
            self.setText(self._shown)
            self._check(self._shown)
            self._keep(None)
            return
        super().keyPressEvent(event)


def finish_typing(inside: QObject) -> None:
    """Take what is being typed in any line below an object: it is about to go away."""
    for line in inside.findChildren(LateEdit):
        line.finish()
    for chip in inside.findChildren(ChipLine):
        chip.finish()
        chip.retire()
    for axis in inside.findChildren(RangeAxisView):
        axis.finish()
