"""Locating a document's file and opening it with SQLite.

SQLite needs to write companion files. That is impossible in a read-only folder or on a full disk,
and unsafe if the file has a second name or is mounted alone. In these cases a complete file is
opened as immutable, and one with a log through a private copy.
"""

import contextlib
import os
import shutil
import sqlite3
from pathlib import Path

from studio.document import log_check, log_files, sqlite_errors
from studio.document.connecting import connect
from studio.errors import DocumentError, DocumentWriteError, ForeignLogError
from studio.scratch import make_scratch_folder
from studio.system.files import is_mounted_alone, is_on_share, is_writable_folder

_CANNOT_ATTACH = {sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_FULL}
# A full disk has no space for the log's index, which is created when no process has the file open.
_DISK_FULL = {sqlite3.SQLITE_IOERR_SHMOPEN, sqlite3.SQLITE_IOERR_SHMSIZE}


def locate(path: Path) -> Path:
    """Return the real path of an existing regular file."""
    try:
        resolved_path = path.resolve(strict=True)
        is_regular = resolved_path.is_file()
    except FileNotFoundError as error:
        raise DocumentError(
            "There is no file {path}. Check its name and folder.", path=path
        ) from error
    except (OSError, ValueError, RuntimeError) as error:
        raise DocumentError(
            "The document {path} cannot be reached: {error}.", path=path, error=error
        ) from error
    if not is_regular:
        raise DocumentError("{path} is not a file, so it cannot be a document.", path=path)
    if is_on_share(resolved_path):
        raise make_sharing_error(resolved_path)
    return resolved_path


def make_sharing_error(path: Path) -> DocumentError:
    """Return the error for a document that several processes cannot use concurrently."""
    return DocumentError(
        "The document {path!r} is in a place where SQLite cannot share a file between "
        "programs (some network folders). Copy it to a local folder and open the copy.",
        path=path.name,
    )


def is_safe_to_write(path: Path) -> bool:
    """Return whether a document and SQLite's companion files can be written safely."""
    with contextlib.suppress(OSError, ValueError, RuntimeError):
        path = path.resolve(strict=True)
    return _is_writable(path) and not (_has_hard_links(path) or is_mounted_alone(path))


def _is_writable(path: Path) -> bool:
    return os.access(path, os.W_OK) and is_writable_folder(path.parent)


def _has_hard_links(path: Path) -> bool:
    # Other processes may continue; closing a copy of its descriptor would release their locks.
    return log_files.has_hard_links(path) and not log_files.is_open_in_process(path)


def attach(
    path: Path, writable: bool, busy_seconds: float, exit_stack: contextlib.ExitStack
) -> tuple[sqlite3.Connection, bool]:
    """Open the file with SQLite without trusting its content; ``exit_stack`` owns the resources.

    Returns:
        connection: A connection to the file, or to a copy of it.
        shared: Whether it is to the file itself, with the locks and the log shared between
            processes.

    Raises:
        DocumentError: If it cannot be opened.
        DocumentWriteError: If ``writable`` is set, and the disk is too full for SQLite's companion
            files.
        sqlite3.Error: For other errors of SQLite.
    """
    if blocking_reason := log_files.find_companion_obstacle(path):
        raise DocumentError(blocking_reason)
    is_linked = _has_hard_links(path)
    if writable and is_linked:
        raise DocumentError(
            "The document {path!r} has several names (hard links), so it is not changed: a "
            "program that opens it by another name would damage it. Copy it, and open the copy.",
            path=path.name,
        )
    is_mounted = is_mounted_alone(path)
    if writable and is_mounted:
        raise DocumentError(
            "The document {path!r} is mounted as a single file, so it is not changed: its log "
            "would not lie beside the original, and changes would be lost. Mount its folder, and "
            "open it there.",
            path=path.name,
        )
    if writable and not _is_writable(path):
        raise DocumentError(
            "The document {path!r} cannot be changed: the file or its folder is read-only. Copy "
            "it to a writable folder, and open the copy.",
            path=path.name,
        )
    log_check.check_log_belongs(path)
    if not (is_linked or is_mounted):
        try:
            if _is_writable(path):
                log_check.check_log_undamaged(path)
            return connect(f"{path.as_uri()}?mode=rw", writable, busy_seconds), True
        except sqlite3.Error as error:
            if not _is_creation_error(error):
                raise
            if writable:
                raise DocumentWriteError(sqlite_errors.explain(error, path, "opened")) from error
    # Without write access no lock is needed, or possible.
    log = log_files.find_log(path)
    if log is None:
        return connect(f"{path.as_uri()}?immutable=1", writable, busy_seconds), False
    # The last changes are still in the log, which SQLite cannot read without write access.
    copy = _copy_privately(path, log, exit_stack)
    try:
        log_check.check_log_undamaged(copy)
    except ForeignLogError as error:
        raise ForeignLogError(path, log) from error
    return connect(f"{copy.as_uri()}?mode=rw", writable, busy_seconds), False


def _is_creation_error(error: sqlite3.Error) -> bool:
    return (
        sqlite_errors.get_primary_code(error) in _CANNOT_ATTACH
        or sqlite_errors.get_extended_code(error) in _DISK_FULL
    )


def _copy_privately(path: Path, log: Path, exit_stack: contextlib.ExitStack) -> Path:
    """Return a private copy of a document with its log, which exists until the stack is closed."""
    try:
        folder = exit_stack.enter_context(make_scratch_folder())
        stats_before = [each.stat() for each in (path, log)]
        for each in (path, log):
            shutil.copyfile(each, folder / each.name)
        stats_after = [each.stat() for each in (path, log)]
    except OSError as error:
        raise DocumentError(
            "The folder of the document {path!r} is not writable, and no copy could be made to "
            "read its last changes: {reason}. Copy it with its -wal file to a writable folder, "
            "and open the copy.",
            path=path.name,
            reason=error.strerror or error,
        ) from error
    if [(each.st_size, each.st_mtime_ns) for each in stats_before] != [
        (each.st_size, each.st_mtime_ns) for each in stats_after
    ]:
        raise DocumentError(
            "The document {path!r} was changed by another program while it was copied, and is in "
            "a folder that is not writable. Wait until that program has finished, then open it "
            "again.",
            path=path.name,
        )
    return folder / path.name
