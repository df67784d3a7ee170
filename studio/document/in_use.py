"""Detection of other processes with a document open."""

from pathlib import Path
from threading import Lock
from typing import Protocol
from weakref import WeakSet

from studio.document.companions import INDEX, get_companion_path
from studio.system.locks import is_locked

_SHARED_LOCK_BYTE = 128
"""The byte of a log's index that each open connection locks (sqlite.org, walformat)."""


class _OpenDocument(Protocol):
    path: Path


_open_documents: "WeakSet[_OpenDocument]" = WeakSet()
_registry_lock = Lock()


def mark_opened(document: _OpenDocument) -> None:
    """Record that this process has opened a document."""
    with _registry_lock:
        _open_documents.add(document)


def mark_closed(document: _OpenDocument) -> None:
    """Record that this process has closed a document."""
    with _registry_lock:
        _open_documents.discard(document)


def is_open_in_process(path: Path) -> bool:
    """Return whether this process has the document of a real path open.

    Documents that are read in a copy, or as files that never change, do not count.
    """
    with _registry_lock:
        return any(each.path == path for each in _open_documents)


def is_open(path: Path) -> bool:
    """Return whether any process has the document of a real path open, even if deleted."""
    return is_open_in_process(path) or is_locked(get_companion_path(path, INDEX), _SHARED_LOCK_BYTE)
