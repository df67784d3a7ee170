"""An undo stack of whole values."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

V = TypeVar("V")


def _nothing_more(_before: object, _now: object) -> None:
    """Do no more than an undo or a redo does by itself."""


@dataclass
class UndoStack(Generic[V]):
    """A value with all its earlier and undone states; it has no limit.

    Values are immutable and share what they have in common, so a state costs little. The
    owner of a value exposes its stack: others undo and redo with it, and show its next step.

    Args:
        value: The value to begin with.
        brought_back: Called after an undo or a redo, with the value before it and the one it
            brought back; where it returns False, that is not so, and the step is still to be made.
    """

    value: V
    brought_back: Callable[[V, V], object] = _nothing_more
    _done: list[tuple[V, str]] = field(default_factory=list)
    _undone: list[tuple[V, str]] = field(default_factory=list)

    def begin(self, value: V) -> None:
        """Start again with a value; nothing before it can be brought back."""
        self.value, self._done, self._undone = value, [], []

    def resume(self, other: "UndoStack[V]") -> None:
        """Continue with the value of another stack, and with all its states."""
        self.value, self._done, self._undone = other.value, [*other._done], [*other._undone]

    def put(self, value: V, what: str) -> None:
        """Make ``value`` the current one; ``what`` names the edit ("rename C")."""
        self._done.append((self.value, what))
        self._undone.clear()
        self.value = value

    def amend(self, value: V) -> None:
        """Make ``value`` the current one as part of the edit before it."""
        self._undone.clear()
        self.value = value

    def undo(self) -> bool:
        """Go back by one edit; False if there is none."""
        return self._bring_back(self._done, self._undone)

    def redo(self) -> bool:
        """Make the edit undone last again; False if there is none."""
        return self._bring_back(self._undone, self._done)

    def _bring_back(self, states: list[tuple[V, str]], others: list[tuple[V, str]]) -> bool:
        """Take the last of these states, and put the current one to the others."""
        if not states:
            return False
        before = self.value
        self.value, what = states.pop()
        others.append((before, what))
        if self.brought_back(before, self.value) is False:
            others.pop()
            states.append((self.value, what))
            self.value = before
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
