"""Detection of other processes that have a document open."""

from pathlib import Path
from threading import Lock
from typing import Protocol
from weakref import WeakSet

from studio.document.companions import INDEX, beside
from studio.system.locks import is_locked

_LOCK_OF_WHO_HAS_IT_OPEN = 128
"""The byte of a log's index that every connection locks as long as it is open (sqlite.org,
walformat)."""


class _Opened(Protocol):
    path: Path


_opened: "WeakSet[_Opened]" = WeakSet()
_changing = Lock()


def note_opened(document: _Opened) -> None:
    """Note that this process has opened a document."""
    with _changing:
        _opened.add(document)


def note_closed(document: _Opened) -> None:
    """Note that it has closed it."""
    with _changing:
        _opened.discard(document)


def is_open_here(path: Path) -> bool:
    """Return whether this process has opened a document under a real path, and not closed it.

    Documents that are read in a copy, or as files that never change, do not count.
    """
    with _changing:
        return any(each.path == path for each in _opened)


def is_open(path: Path) -> bool:
    """Return whether anybody has a document open under a real path, be it there or not."""
    return is_open_here(path) or is_locked(beside(path, INDEX), _LOCK_OF_WHO_HAS_IT_OPEN)
