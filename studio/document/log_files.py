"""Companion files of an open document: its write-ahead log and the log's index.

SQLite follows links and writes to any file with these names, so anything but a regular file is
rejected before SQLite opens it.
"""

import contextlib
import stat
import uuid
from pathlib import Path
from threading import Lock
from typing import Protocol
from weakref import WeakSet

from studio import scratch
from studio.phrases import phrase
from studio.system.files import is_locked

_SUFFIX = ".studio-new"
"""Suffix of an incomplete file."""


def make_temporary_path(target: Path) -> Path:
    """Return the temporary path for a new file, after removing stale ones."""
    _remove_stale(target.parent)
    return target.parent / f".{scratch.get_process_prefix()}{uuid.uuid4().hex}{_SUFFIX}"


def count_links(path: Path) -> int:
    """Return the number of temporary names of a document in creation.

    A document has two names during creation, and a killed process leaves the temporary one.
    """
    _remove_stale(path.parent)
    return sum(_is_same(each, path) for each in path.parent.glob(f".*{_SUFFIX}"))


def _is_same(temporary: Path, path: Path) -> bool:
    with contextlib.suppress(OSError):
        return temporary.samefile(path)
    return False


def _remove_stale(folder: Path) -> None:
    """Remove the leftovers of killed processes, which may be as large as a document or a model."""
    with contextlib.suppress(OSError):
        for temporary in folder.glob(f".*{_SUFFIX}*"):
            if scratch.is_orphaned(temporary.name[1:]):
                temporary.unlink()


JOURNAL, LOG, INDEX = "-journal", "-wal", "-shm"
SUFFIXES = (JOURNAL, LOG, INDEX)


def get_companion_path(path: Path, suffix: str) -> Path:
    """Return the path of one of the :data:`SUFFIXES` of a document."""
    return path.with_name(path.name + suffix)


def find_companion_obstacle(path: Path) -> str:
    """Describe a companion file that must not exist; empty if there is none.

    SQLite replays a rollback journal on opening, and deletes the files that it names.
    """
    for suffix in SUFFIXES:
        companion_path = get_companion_path(path, suffix)
        try:
            kind = companion_path.lstat().st_mode
        except OSError:
            continue
        if not stat.S_ISREG(kind):
            return phrase(
                "{companion} is not an ordinary file, and that name belongs to the document "
                "{path!r}. Move it to another folder, then try again.",
                companion=companion_path,
                path=path.name,
            )
        if suffix == JOURNAL:
            return phrase(
                "{journal} is a rollback journal: SQLite would change or delete the files that "
                "it names. Documents of Ensemble Studio have no such file. Move it to another "
                "folder or delete it, then try again.",
                journal=companion_path,
            )
    return ""


def find_log(path: Path) -> Path | None:
    """Return the log of a document; ``None`` if missing or empty."""
    log = get_companion_path(path, LOG)
    try:
        return log if log.stat().st_size else None
    except OSError:
        return None


def has_hard_links(path: Path) -> bool:
    """Return whether a document, or a companion file, has several names (hard links).

    Two programs that open a document by different names use two logs and do not see each other's
    locks.
    """
    return any(
        _count_names(each) > 1
        for each in (path, get_companion_path(path, LOG), get_companion_path(path, INDEX))
    )


def _count_names(path: Path) -> int:
    with contextlib.suppress(OSError):
        if path.stat().st_nlink > 1:
            unfinished_names = count_links(path)
            # Tried repeatedly, as the first of a new document's two names may disappear at any
            # moment.
            return path.stat().st_nlink - unfinished_names
    return 1


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
    """Return whether this process has the document at a real path open, not just a copy."""
    with _registry_lock:
        return any(each.path == path for each in _open_documents)


def is_open(path: Path) -> bool:
    """Return whether any process has the document at a real path open, even if deleted."""
    return is_open_in_process(path) or is_locked(get_companion_path(path, INDEX), _SHARED_LOCK_BYTE)
