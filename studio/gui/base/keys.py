"""Keys, as the system writes them and as its keyboards have them."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence

REMOVE = [QKeySequence(Qt.Key.Key_Delete), QKeySequence(Qt.Key.Key_Backspace)]
"""What takes away the chosen thing; the large key of a Mac's keyboard is the second one."""


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
