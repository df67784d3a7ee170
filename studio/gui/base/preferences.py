"""What the user prefers, on this machine: one typed and checked place, kept in QSettings.

A stored value that is not of its type, or out of its range, counts as not stored: settings may
have been written by another version or by hand, and must never keep the window from opening.
"""

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Self

from PySide6.QtCore import QObject, QSettings, Signal

from studio.runs.choices import MOST_WORKERS, SearchSettings
from studio.setting import names_of

SYSTEM = "system"
LOOKS = (SYSTEM, "light", "dark")
LEAVING = ("ask", "keep", "pause", "stop")
SMALLEST_TYPE, LARGEST_TYPE = 1.0, 2.0

_GROUP = "preferences"


@dataclass(frozen=True)
class Preferences:
    """The user's choices.

    Attributes
    ----------
    language : str
        "system", or the code of a language that ships ("en", "fr").
    look : str
        "system", "light" or "dark".
    type_scale : float
        Factor of all type, in [1, 2].
    presentation_scale : float
        Factor of all type in presentation mode, in [1, 2].
    workers : int
        Trials at the same time that a new run begins with; 0 for one a core.
    folder : str
        Where documents without a name are kept; empty for the usual place.
    reopen : bool
        Whether the last document is opened at the start.
    leaving : str
        What becomes of going runs when the window is closed: "ask", "keep", "pause" or "stop".
    """

    language: str = SYSTEM
    look: str = SYSTEM
    type_scale: float = 1.0
    presentation_scale: float = 1.4
    workers: int = 0
    folder: str = ""
    reopen: bool = True
    leaving: str = "ask"

    def changed(self, **values: Any) -> Self:
        """Return the preferences with other choices."""
        return dataclasses.replace(self, **values)

    def for_runs(self) -> dict[str, Any]:
        """Return the settings with which a new document begins, where one is preferred."""
        return {
            name: value for name in names_of(SearchSettings) if (value := getattr(self, name, 0))
        }


class Notifier(QObject):
    """Tells that preferences were changed."""

    changed = Signal(object)


@cache
def notifier() -> Notifier:
    """Return the one notifier; its ``changed`` signal carries the new :class:`Preferences`."""
    return Notifier()


def load() -> Preferences:
    """Return what is stored, with defaults for what is not or cannot be believed."""
    stored = QSettings()
    found: dict[str, Any] = {}
    for name, read in _READERS.items():
        try:
            value = read(stored.value(f"{_GROUP}/{name}"))
        except (TypeError, ValueError):
            continue
        if value is not None:
            found[name] = value
    return Preferences(**found)


def save(preferences: Preferences) -> None:
    """Keep the preferences and tell the listeners, if anything is another value."""
    if preferences == load():
        return
    stored = QSettings()
    for name, value in dataclasses.asdict(preferences).items():
        stored.setValue(f"{_GROUP}/{name}", value)
    notifier().changed.emit(preferences)


def _one_of(allowed: tuple[str, ...]) -> Callable[[Any], str | None]:
    return lambda value: value if value in allowed else None


def _scale(value: Any) -> float | None:
    number = float(value)
    return number if SMALLEST_TYPE <= number <= LARGEST_TYPE else None


def _workers(value: Any) -> int | None:
    number = int(value)
    return number if 0 <= number <= MOST_WORKERS else None


def _flag(value: Any) -> bool | None:
    # An INI file gives a truth value back as text.
    return {"true": True, "false": False}.get(str(value).lower())


def _folder(value: Any) -> str | None:
    return value if isinstance(value, str) and Path(value).is_dir() else None


def _code(value: Any) -> str | None:
    return value if isinstance(value, str) and value.isalpha() else None


_READERS: Mapping[str, Callable[[Any], Any]] = {
    "language": _code,
    "look": _one_of(LOOKS),
    "type_scale": _scale,
    "presentation_scale": _scale,
    "workers": _workers,
    "folder": _folder,
    "reopen": _flag,
    "leaving": _one_of(LEAVING),
}
