"""The undo stack."""

from studio.gui.base.undo import UndoStack


def test_every_state_comes_back_in_both_directions() -> None:
    stack = UndoStack("a")
    for value in "bcd":
        stack.put(value, f"to {value}")
    assert [stack.undo_text, stack.redo_text] == ["to d", ""]
    assert stack.undo()
    assert stack.undo()
    assert stack.value == "b"
    assert [stack.undo_text, stack.redo_text] == ["to b", "to c"]
    assert stack.redo()
    assert stack.value == "c"


def test_an_edit_after_undo_forgets_what_was_undone() -> None:
    stack = UndoStack(1)
    stack.put(2, "two")
    stack.undo()
    stack.put(3, "three")
    assert not stack.redo()
    assert stack.value == 3
    stack.undo()
    assert not stack.undo()
    assert stack.value == 1
