"""Keys are named as the system writes them, and both keys that remove do."""

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence

from studio.gui.base.command import REMOVE, control_and, named, removes, with_keys


def test_tooltip_ends_with_shortcut() -> None:
    native = QKeySequence("Ctrl+K").toString(QKeySequence.SequenceFormat.NativeText)
    assert with_keys("Find", "Ctrl+K") == f"Find ({native})"
    assert with_keys("Find", QKeySequence("Ctrl+K")) == f"Find ({native})"
    assert with_keys("Find", "") == with_keys("Find", QKeySequence()) == "Find"
    assert named("Ctrl+K").startswith(control_and())


def test_delete_and_backspace_remove() -> None:
    assert [each.toString() for each in QKeySequence.listFromString(REMOVE)] == ["Del", "Backspace"]
    none, pad, control = (
        Qt.KeyboardModifier.NoModifier,
        Qt.KeyboardModifier.KeypadModifier,
        Qt.KeyboardModifier.ControlModifier,
    )
    for key, held, does in (
        (Qt.Key.Key_Delete, none, True),
        (Qt.Key.Key_Delete, pad, True),
        (Qt.Key.Key_Backspace, none, True),
        (Qt.Key.Key_Backspace, control, False),
        (Qt.Key.Key_A, none, False),
    ):
        assert removes(QKeyEvent(QEvent.Type.KeyPress, key, held)) is does
