"""An undo stack of immutable values."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

V = TypeVar("V")


@dataclass
class UndoStack(Generic[V]):
    """A value with its previous and undone states, without limit.

    Values are immutable and share common parts, so states are cheap. The owner of a value exposes
    its stack to callers that undo, redo or display the next step.

    Args:
        on_restore: Called after an undo or a redo, with the values before and after it; if it
            returns False, the step is reverted.
    """

    value: V
    on_restore: Callable[[V, V], object] = lambda *_: None
    _done: list[tuple[V, str]] = field(default_factory=list)
    _undone: list[tuple[V, str]] = field(default_factory=list)

    def reset(self, value: V) -> None:
        """Reset to a value and clear the history."""
        self.value, self._done, self._undone = value, [], []

    def resume(self, other: "UndoStack[V]") -> None:
        """Adopt the value and the history of another stack."""
        self.value, self._done, self._undone = other.value, [*other._done], [*other._undone]

    def push(self, value: V, label: str) -> None:
        """Set ``value``; ``label`` names the edit ("rename C")."""
        self._done.append((self.value, label))
        self._undone.clear()
        self.value = value

    def replace_last(self, value: V, label: str = "") -> None:
        """Set ``value`` as part of the previous edit; ``label`` renames it."""
        self._undone.clear()
        self.value = value
        if label:
            self._done[-1] = (self._done[-1][0], label)

    def undo(self) -> bool:
        """Undo one edit; return False if there is nothing to undo."""
        return self._restore(self._done, self._undone)

    def redo(self) -> bool:
        """Redo the last undone edit; return False if there is nothing to redo."""
        return self._restore(self._undone, self._done)

    def _restore(self, states: list[tuple[V, str]], others: list[tuple[V, str]]) -> bool:
        """Pop the last of these states, and push the current one on the other stack."""
        if not states:
            return False
        previous = self.value
        self.value, label = states.pop()
        others.append((previous, label))
        if self.on_restore(previous, self.value) is False:
            others.pop()
            states.append((self.value, label))
            self.value = previous
            return False
        return True

    @property
    def undo_text(self) -> str:
        """Name of the change that :meth:`undo` would revert; empty for none."""
        return self._done[-1][1] if self._done else ""

    @property
    def redo_text(self) -> str:
        """Name of the change that :meth:`redo` would repeat; empty for none."""
        return self._undone[-1][1] if self._undone else ""
