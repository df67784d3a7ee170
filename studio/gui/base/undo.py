"""An undo stack of whole values: every edit keeps the value as it was before."""

from dataclasses import dataclass, field
from typing import Generic, TypeVar

V = TypeVar("V")


@dataclass
class UndoStack(Generic[V]):
    """A value with all its earlier and undone states; it has no limit.

    Values are immutable and share what they have in common, so a state costs little.

    Parameters
    ----------
    value : V
        The value to begin with.
    """

    value: V
    _done: list[tuple[V, str]] = field(default_factory=list)
    _undone: list[tuple[V, str]] = field(default_factory=list)

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
        if not self._done:
            return False
        earlier, what = self._done.pop()
        self._undone.append((self.value, what))
        self.value = earlier
        return True

    def redo(self) -> bool:
        """Make the edit undone last again; False if there is none."""
        if not self._undone:
            return False
        later, what = self._undone.pop()
        self._done.append((self.value, what))
        self.value = later
        return True

    @property
    def undo_text(self) -> str:
        """What :meth:`undo` would take back; empty if nothing."""
        return self._done[-1][1] if self._done else ""

    @property
    def redo_text(self) -> str:
        """What :meth:`redo` would make again; empty if nothing."""
        return self._undone[-1][1] if self._undone else ""
