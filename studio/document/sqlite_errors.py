"""SQLite's errors as sentences for the user."""

import sqlite3
from pathlib import Path
from typing import Literal

from studio.phrases import phrase
from studio.system.files import find_mount_point, has_locks
from studio.system_faults import shorten_name

_BUSY_REASON = phrase(
    "Another program has locked it for several seconds. Close programs that have it open "
    "(database browsers, backup or synchronisation tools), then try again; nothing was lost."
)
_DAMAGE_REASON = phrase(
    "It is damaged or was cut short (an interrupted copy or download, or a disk fault). Use "
    "a backup copy of it, or start a new document from the data."
)
_NO_LOCKS_REASON = phrase(
    "The file system of the disk {disk} has no file locks, without which programs that have the "
    "document open would damage it. Use a folder on another disk."
)
_READ_ONLY_REASON = phrase(
    "The file or its folder is read-only. Copy the document to a writable folder, and open the "
    "copy."
)

_REASONS: dict[int, str] = {
    sqlite3.SQLITE_PERM: _READ_ONLY_REASON,
    sqlite3.SQLITE_BUSY: _BUSY_REASON,
    sqlite3.SQLITE_LOCKED: _BUSY_REASON,
    sqlite3.SQLITE_PROTOCOL: _BUSY_REASON,
    sqlite3.SQLITE_NOMEM: phrase("There is not enough memory. Close other programs and try again."),
    sqlite3.SQLITE_READONLY: _READ_ONLY_REASON,
    sqlite3.SQLITE_IOERR: phrase(
        "The disk {disk} reported an error: it may be full, over its quota, removed or failing. "
        "Check it, then try again; saved data is kept."
    ),
    sqlite3.SQLITE_CORRUPT: _DAMAGE_REASON,
    sqlite3.SQLITE_FULL: phrase(
        "There is no space left on the disk {disk}. Free some space there, then try again; saved "
        "data is kept."
    ),
    sqlite3.SQLITE_CANTOPEN: phrase(
        "The file, or the -wal and -shm files beside it while it is open, cannot be opened. "
        "Check that the folder exists, that you may write in it, and that the file name is not "
        "too long."
    ),
    sqlite3.SQLITE_TOOBIG: phrase("A record exceeds the maximum size."),
    sqlite3.SQLITE_CONSTRAINT: _DAMAGE_REASON,
    sqlite3.SQLITE_MISMATCH: _DAMAGE_REASON,
    sqlite3.SQLITE_NOTADB: phrase(
        "It is not an Ensemble Studio document, or its beginning was overwritten. Choose a .studio "
        "file created by Ensemble Studio."
    ),
}


_LOCK_ERRORS = {
    sqlite3.SQLITE_IOERR_LOCK,
    sqlite3.SQLITE_IOERR_UNLOCK,
    sqlite3.SQLITE_IOERR_RDLOCK,
    sqlite3.SQLITE_IOERR_CHECKRESERVEDLOCK,
    sqlite3.SQLITE_IOERR_SHMLOCK,
}


def get_extended_code(error: sqlite3.Error) -> int | None:
    """Return SQLite's extended result code, ``None`` for other errors."""
    code: int | None = getattr(error, "sqlite_errorcode", None)
    return code


def get_primary_code(error: sqlite3.Error) -> int | None:
    """Return SQLite's primary result code, ``None`` for other errors."""
    code = get_extended_code(error)
    return None if code is None else code & 0xFF


def is_busy(error: sqlite3.Error) -> bool:
    """Return whether another process held a lock, so that a retry may help."""
    return get_primary_code(error) in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}


def is_damage(error: sqlite3.Error) -> bool:
    """Return whether the file's content is invalid for SQLite or a document."""
    damage_codes = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR, None}
    return get_primary_code(error) in damage_codes


def _is_locking_unsupported(error: sqlite3.Error, path: Path) -> bool:
    """Return whether locking failed because the folder is not writable."""
    if getattr(error, "sqlite_errorcode", None) in _LOCK_ERRORS:
        return True
    # SQLite reports some system errors as a lock of another program.
    lock_codes = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_PROTOCOL}
    return get_primary_code(error) in lock_codes and not has_locks(path.parent)


def explain(
    error: sqlite3.Error, path: Path, doing: Literal["opened", "read", "written", "used", "made"]
) -> str:
    """Return the message for an SQLite error during the attempted action."""
    if isinstance(error, sqlite3.ProgrammingError):
        # The connection is closed, or belongs to another thread; SQLite was not called.
        reason = str(error)
    else:
        known_reason = _REASONS.get(get_primary_code(error) or 0)
        if _is_locking_unsupported(error, path):
            known_reason = _NO_LOCKS_REASON
        if known_reason is not None:
            # (A phrase is its template: declared texts are templates already.)
            known_reason = phrase(
                str.__str__(known_reason), disk=shorten_name(str(find_mount_point(path)))
            )
        # SQLITE_ERROR is reported for an invalid schema, or a missing table.
        reason = known_reason or phrase(
            "{damaged} (SQLite: {error}.)", damaged=_DAMAGE_REASON, error=error
        )
    name = repr(path.name)
    return {
        "opened": phrase(
            "The document {name} could not be opened. {reason}", name=name, reason=reason
        ),
        "read": phrase("The document {name} could not be read. {reason}", name=name, reason=reason),
        "written": phrase(
            "The document {name} could not be written. {reason}", name=name, reason=reason
        ),
        "used": phrase("The document {name} could not be used. {reason}", name=name, reason=reason),
        "made": phrase(
            "The document {name} could not be created. {reason}", name=name, reason=reason
        ),
    }[doing]
