"""Finding a document's file and opening it with SQLite, wherever it lies.

Nothing in the file is trusted. Where nothing can be written beside it, SQLite cannot lock it or
read its log: a whole file is then read as one that never changes, one with a log in a private copy.
"""

import contextlib
import os
import shutil
import sqlite3
from functools import partial
from pathlib import Path

from studio.document import faults
from studio.errors import DocumentError
from studio.scratch import scratch_folder
from studio.system.files import is_on_share, may_write_into

_WAL_KEPT_BYTES = 32 << 20
_LARGEST_VALUE = 64 << 20
_LARGEST_SQL = 1 << 20

_CANNOT_ATTACH = {sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY}


def locate(path: Path) -> Path:
    """Return the real path of an existing ordinary file."""
    try:
        real = path.resolve(strict=True)
        ordinary = real.is_file()
    except FileNotFoundError as error:
        raise DocumentError(
            "There is no document {path}. Check its name and folder.", path=path
        ) from error
    except (OSError, ValueError, RuntimeError) as error:
        raise DocumentError(
            "The document {path} cannot be reached: {error}.", path=path, error=error
        ) from error
    if not ordinary:
        raise DocumentError("{path} is not a file, so it cannot be a document.", path=path)
    if is_on_share(real):
        raise not_shared(real)
    return real


def not_shared(path: Path) -> DocumentError:
    """Return what is said of a document that several processes cannot work on at once."""
    return DocumentError(
        "The document {path!r} is in a place where SQLite cannot share a file between "
        "programs (some network folders). Copy it to a local folder and open the copy.",
        path=path.name,
    )


def may_be_changed(path: Path) -> bool:
    """Return whether a document lies where it, and what SQLite puts beside it, can be written."""
    with contextlib.suppress(OSError, ValueError, RuntimeError):
        path = path.resolve(strict=True)
    return os.access(path, os.W_OK) and may_write_into(path.parent)


def attach(
    path: Path, writable: bool, busy_seconds: float, held: contextlib.ExitStack
) -> sqlite3.Connection:
    """Open the file with SQLite so that nothing in it is trusted; what is needed goes to held."""
    if writable and not may_be_changed(path):
        raise DocumentError(
            "The document {path!r} cannot be changed: the file or its folder is read-only. "
            "Copy it to a folder that you can write to, and open the copy.",
            path=path.name,
        )
    try:
        return _configure(f"{path.as_uri()}?mode=rw", writable, busy_seconds)
    except sqlite3.Error as error:
        if writable or faults.primary_code(error) not in _CANNOT_ATTACH:
            raise
    # In a folder where nothing can be written no lock is needed, or possible.
    log = path.with_name(path.name + "-wal")
    if not (log.exists() and log.stat().st_size):
        return _configure(f"{path.as_uri()}?immutable=1", writable, busy_seconds)
    # The last changes are still in the log, which SQLite cannot read there.
    copy = _copied(path, log, held)
    return _configure(f"{copy.as_uri()}?mode=rw", writable, busy_seconds)


def _copied(path: Path, log: Path, held: contextlib.ExitStack) -> Path:
    """Return a private copy of a document with its log, which is there until held is closed."""
    try:
        folder = held.enter_context(scratch_folder())
        before = [each.stat() for each in (path, log)]
        for each in (path, log):
            shutil.copyfile(each, folder / each.name)
        after = [each.stat() for each in (path, log)]
    except OSError as error:
        raise DocumentError(
            "The document {path!r} is in a place where nothing can be written, and no copy "
            "could be made to read its last changes: {reason}. Copy it with its -wal file to "
            "a folder that you can write to, and open the copy.",
            path=path.name,
            reason=error.strerror or error,
        ) from error
    if [(each.st_size, each.st_mtime_ns) for each in before] != [
        (each.st_size, each.st_mtime_ns) for each in after
    ]:
        raise DocumentError(
            "The document {path!r} was changed by another program while it was copied, and "
            "is in a place where you cannot write. Wait until that program has finished, "
            "then open it again.",
            path=path.name,
        )
    return folder / path.name


def _configure(uri: str, writable: bool, busy_seconds: float) -> sqlite3.Connection:
    connection = sqlite3.connect(uri, uri=True, timeout=busy_seconds, isolation_level=None)
    # A flipped bit may make a text no UTF-8: its record is damaged, not all that are read with it.
    connection.text_factory = partial(str, encoding="utf-8", errors="replace")
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LARGEST_VALUE)
    connection.setlimit(sqlite3.SQLITE_LIMIT_SQL_LENGTH, _LARGEST_SQL)
    connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    try:
        for pragma in (
            "trusted_schema = OFF",
            "cell_size_check = ON",
            "mmap_size = 0",
            "temp_store = MEMORY",  # a full or cleaned temporary folder is no concern of ours
            "synchronous = NORMAL",
            "wal_autocheckpoint = 0",
            f"journal_size_limit = {_WAL_KEPT_BYTES}",
            f"query_only = {'OFF' if writable else 'ON'}",
        ):
            connection.execute(f"PRAGMA {pragma}")
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.Error:
        connection.close()
        raise
    except UnicodeDecodeError as error:
        # What SQLite says of a schema that does not parse quotes it, flipped bits included.
        connection.close()
        raise sqlite3.DatabaseError("its tables are not described by text") from error
    return connection
