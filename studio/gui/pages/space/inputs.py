"""Input fields: validated at each key press, committed after a pause, keeping invalid text."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, Qt, QTimer
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QLineEdit

from studio.gui.pages.space.outline import RowKey

_COMMIT_DELAY_MS = 500


class DelayedEdit(QLineEdit):
    """Commits its text when typing pauses or ends, as one undo step.

    Args:
        check: Called with the text at each key press: shows its problem next to the field, and
            returns whether the text is valid.
        store_draft: Called with an invalid text instead of ``commit``, and with ``None`` once it is
            resolved.
    """

    def __init__(
        self,
        check: Callable[[str], bool],
        commit: Callable[[str], object],
        store_draft: Callable[[str | None], object],
    ) -> None:
        super().__init__()
        self._check, self._commit, self._store_draft = check, commit, store_draft
        self._shown_text = ""
        self._timer = QTimer(self, interval=_COMMIT_DELAY_MS, singleShot=True)
        self._timer.timeout.connect(self.finish)
        self.textEdited.connect(self._on_edit)
        self.editingFinished.connect(self.finish)

    def show_text(self, text: str, *, fresh: bool = False) -> None:
        """Set the text; unfinished input stays, unless ``fresh``."""
        is_typing = self.hasFocus() and self.text() != self._shown_text and not fresh
        is_changed = text != self._shown_text
        self._shown_text = text
        if is_typing and (not is_changed or self._timer.isActive()):
            return
        self._timer.stop()
        if self.text() != text:
            cursor = self.cursorPosition() if self.hasFocus() and not fresh else 0
            self.setText(text)
            self.setCursorPosition(cursor)

    def show_draft(self, text: str) -> None:
        """Show earlier invalid input and its problem."""
        if self.text() != text and not self._timer.isActive():
            self.setText(text)
        self._check(self.text())

    def disable(self) -> None:
        """Disable the field: its row is no longer shown."""
        self._timer.stop()
        self._shown_text = self.text()

    def finish(self) -> None:
        """Commit the input now; store it if invalid."""
        self._timer.stop()
        text = self.text()
        if text == self._shown_text:
            return
        if not self._check(text):
            self._store_draft(text)
            return
        self._shown_text = text
        self._store_draft(None)
        self._commit(text)

    def _on_edit(self, text: str) -> None:
        self._check(text)
        self._timer.start()

    def event(self, event: QEvent) -> bool:
        """Leave undo and redo to the page if the field has nothing to undo or redo."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            keys = (QKeySequence.StandardKey.Undo, QKeySequence.StandardKey.Redo)
            if self.text() == self._shown_text and any(map(event.matches, keys)):
                event.ignore()
                return False
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Revert the input on Escape."""
        if event.key() == Qt.Key.Key_Escape and self.text() != self._shown_text:
            self._timer.stop()
            self.setText(self._shown_text)
            self._check(self._shown_text)
            self._store_draft(None)
        else:
            super().keyPressEvent(event)


class FieldDrafts:
    """Invalid input by row and field, kept until corrected; reports the row of each change."""

    def __init__(self, changed: Callable[[RowKey], object]) -> None:
        self._texts: dict[tuple[RowKey, str], str] = {}
        self._on_change = changed

    def get_text(self, key: RowKey, field: str) -> str | None:
        """Return a field's invalid input."""
        return self._texts.get((key, field))

    def get_drafts(self, key: RowKey) -> tuple[tuple[str, str], ...]:
        """Return a row's invalid input, as (field, text)."""
        return tuple((field, text) for (row, field), text in self._texts.items() if row == key)

    def get_first(self) -> tuple[RowKey, str, str] | None:
        """Return the first invalid input as (row, field, text); ``None`` for none."""
        return next(((*key_and_field, text) for key_and_field, text in self._texts.items()), None)

    def store(self, key: RowKey, field: str, text: str | None) -> None:
        """Store invalid input, or clear it (``None``)."""
        if text == self.get_text(key, field):
            return
        if text is None:
            del self._texts[key, field]
        else:
            self._texts[key, field] = text
        self._on_change(key)

    def rename(self, old: RowKey, new: RowKey) -> None:
        """Follow the renaming of a row."""
        self._texts = {
            (new if row == old else row, field): text for (row, field), text in self._texts.items()
        }

    def clear(self) -> None:
        """Clear everything: the space was replaced."""
        self._texts.clear()
