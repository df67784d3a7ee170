"""Names of shortcuts, and the keys that remove rows."""

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence

from studio.gui.base.command import (
    REMOVE_KEYS,
    append_shortcut,
    format_shortcut,
    get_control_key_prefix,
    is_delete_key,
)


def test_tooltip_ends_with_shortcut() -> None:
    native = QKeySequence("Ctrl+K").toString(QKeySequence.SequenceFormat.NativeText)
    assert append_shortcut("Find", "Ctrl+K") == f"Find ({native})"
    assert append_shortcut("Find", QKeySequence("Ctrl+K")) == f"Find ({native})"
    assert append_shortcut("Find", "") == append_shortcut("Find", QKeySequence()) == "Find"
    assert format_shortcut("Ctrl+K").startswith(get_control_key_prefix())


def test_delete_and_backspace_keys_remove_rows() -> None:
    assert [each.toString() for each in QKeySequence.listFromString(REMOVE_KEYS)] == [
        "Del",
        "Backspace",
    ]
    none, pad, control = (
        Qt.KeyboardModifier.NoModifier,
        Qt.KeyboardModifier.KeypadModifier,
        Qt.KeyboardModifier.ControlModifier,
    )
    for key, modifier, does in (
        (Qt.Key.Key_Delete, none, True),
        (Qt.Key.Key_Delete, pad, True),
        (Qt.Key.Key_Backspace, none, True),
        (Qt.Key.Key_Backspace, control, False),
        (Qt.Key.Key_A, none, False),
    ):
        assert is_delete_key(QKeyEvent(QEvent.Type.KeyPress, key, modifier)) is does
