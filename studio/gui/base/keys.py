"""Keys, as the system writes them and as its keyboards have them."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QKeySequence

_REMOVE = (Qt.Key.Key_Delete, Qt.Key.Key_Backspace)

REMOVE = "Del; Backspace"
"""What takes away the chosen thing; the large key of a Mac's keyboard is the second one."""


def removes(event: QKeyEvent) -> bool:
    """Return whether one of those keys was pressed by itself, also on a number pad."""
    held = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
    return event.key() in _REMOVE and not held


def named(keys: QKeySequence | str) -> str:
    """Return how a shortcut is called here: "Ctrl+Return", "⌘↩"."""
    return QKeySequence(keys).toString(QKeySequence.SequenceFormat.NativeText)


def with_keys(words: str, keys: QKeySequence | str) -> str:
    """Return a tooltip's words with the shortcut behind them; the words alone without one."""
    name = named(keys)
    return f"{words} ({name})" if name else words


def control_and() -> str:
    """Return how a click with the control key begins: "Ctrl+", and "⌘" on a Mac."""
    return named(QKeySequence(Qt.KeyboardModifier.ControlModifier.value))
