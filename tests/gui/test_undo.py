"""The undo stack."""

from studio.gui.base.undo import UndoStack


def test_undo_and_redo_restore_states() -> None:
    stack = UndoStack("a")
    for value in "bcd":
        stack.push(value, f"to {value}")
    assert [stack.undo_text, stack.redo_text] == ["to d", ""]
    assert stack.undo()
    assert stack.undo()
    assert stack.value == "b"
    assert [stack.undo_text, stack.redo_text] == ["to b", "to c"]
    assert stack.redo()
    assert stack.value == "c"


def test_edit_after_undo_clears_redo_history() -> None:
    stack = UndoStack(1)
    stack.push(2, "two")
    stack.undo()
    stack.push(3, "three")
    assert not stack.redo()
    assert stack.value == 3
    stack.undo()
    assert not stack.undo()
    assert stack.value == 1


def test_undo_stack_notifies_owner_of_restored_values_only() -> None:
    changes: list[tuple[str, str]] = []
    stack = UndoStack("a", lambda before, now: changes.append((before, now)))
    stack.push("b", "to b")
    stack.replace_last("c")
    assert changes == []
    stack.undo()
    stack.undo()
    stack.redo()
    assert changes == [("c", "a"), ("a", "c")]


def test_failed_undo_step_remains_undoable() -> None:
    able = False
    stack = UndoStack("a", lambda _before, _now: able)
    stack.push("b", "to b")
    assert not stack.undo()
    assert (stack.value, stack.undo_text, stack.redo_text) == ("b", "to b", "")
    able = True
    assert stack.undo()
    assert (stack.value, stack.undo_text, stack.redo_text) == ("a", "", "to b")


def test_undo_stack_can_be_reset_or_resumed() -> None:
    stack, other = UndoStack("a"), UndoStack("x")
    other.push("y", "to y")
    stack.push("b", "to b")
    stack.resume(other)
    other.undo()
    assert (stack.value, stack.undo_text) == ("y", "to y")
    stack.undo()
    assert (stack.value, stack.undo_text, stack.redo_text) == ("x", "", "to y")
    stack.reset("z")
    assert (stack.value, stack.undo_text, stack.redo_text) == ("z", "", "")
