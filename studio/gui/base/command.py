"""Commands: user actions with a name and shortcuts."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QWidget

_DELETE_KEYS = (Qt.Key.Key_Delete, Qt.Key.Key_Backspace)

REMOVE_KEYS = "Del; Backspace"
"""Shortcuts for removal; the second one is the large Delete key of a Mac."""


def is_delete_key(event: QKeyEvent) -> bool:
    """Return whether Delete or Backspace was pressed without modifiers; the keypad counts."""
    modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
    return event.key() in _DELETE_KEYS and not modifiers


def format_shortcut(keys: QKeySequence | str) -> str:
    """Return the name of a shortcut on this system: "Ctrl+Return", "⌘↩"."""
    return QKeySequence(keys).toString(QKeySequence.SequenceFormat.NativeText)


def append_shortcut(text: str, keys: QKeySequence | str) -> str:
    """Return a tooltip with its shortcut appended, if there is one."""
    name = format_shortcut(keys)
    return f"{text} ({name})" if name else text


def get_control_key_prefix() -> str:
    """Return the name of the control key as a prefix: "Ctrl+", and "⌘" on a Mac."""
    return format_shortcut(QKeySequence(Qt.KeyboardModifier.ControlModifier.value))


Keys = str | QKeySequence.StandardKey


@dataclass(frozen=True)
class Command:
    """An action of the user.

    Attributes:
        key: Its name in code: "document.save-as".
        group, title: In the user's language; an ellipsis means that the command requires further
            input.
        keys: Its shortcuts ("Ctrl+T", "Ctrl+K; Ctrl+P", or the system's standard keys).
        icon: Name of an icon; empty for none.
        search_terms: Further search words in the user's language, the most common first.
        focus_widget: The list on whose selected rows it acts: its shortcuts work while the list has
            the focus, and it is available while the list is visible. None: its shortcuts work in
            the whole window.
        is_always_listed: Whether the palette lists it, greyed out, even while it is unavailable.
        is_help: Whether it only explains something: listed below matching actions.
    """

    key: str
    group: str
    title: str
    run: Callable[[], object]
    keys: Keys = ""
    is_enabled: Callable[[], bool] = lambda: True
    icon: str = ""
    tip: str = ""
    search_terms: str = ""
    focus_widget: QWidget | None = None
    is_always_listed: bool = False
    is_help: bool = False

    def is_available(self) -> bool:
        """Return whether the command is available now."""
        return self.is_enabled() and (self.focus_widget is None or self.focus_widget.isVisible())

    @property
    def sequences(self) -> list[QKeySequence]:
        """The shortcuts; the first one is displayed."""
        if isinstance(self.keys, str):
            return QKeySequence.listFromString(self.keys) if self.keys else []
        return QKeySequence.keyBindings(self.keys)

    @property
    def keys_text(self) -> str:
        """The shortcut in the system's notation; empty for none."""
        sequences = self.sequences
        return format_shortcut(sequences[0]) if sequences else ""


@runtime_checkable
class HasSteps(Protocol):
    """A page whose iteration, question or tab is changed by keys."""

    step_keys: tuple[Qt.Key, ...]

    def step_by_key(self, key: int) -> None:
        """Show the next or previous item, by one of :attr:`step_keys`."""
        ...


@runtime_checkable
class HasCommands(Protocol):
    """A page with separate commands.

    ``list_commands`` is called whenever the palette opens, and once for the shortcuts when the page
    is built.
    """

    def list_commands(self) -> Iterable[Command]:
        """Return the page's commands."""
        ...


@runtime_checkable
class HasUndo(Protocol):
    """A page with a temporary undo outside the undo history."""

    @property
    def undo_text(self) -> str:
        """The name of the undoable action; empty for none."""
        ...

    def undo(self) -> bool:
        """Undo it; return False if there is nothing to undo."""
        ...


@runtime_checkable
class HasSettings(Protocol):
    """A page with settings that can be shown on request."""

    def reveal(self, name: str) -> QWidget:
        """Show a setting's field, unfolding it if necessary, and return it."""
        ...
