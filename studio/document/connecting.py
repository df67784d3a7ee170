"""SQLite connections that do not trust the file."""

import sqlite3
import sys
from functools import partial

_MAX_WAL_BYTES = 32 << 20
_MAX_VALUE_BYTES = 64 << 20
_MAX_SQL_BYTES = 1 << 20


def connect(
    uri: str,
    writable: bool,
    busy_seconds: float,
    *,
    is_exclusive: bool = False,
    may_be_truncated: bool = False,
) -> sqlite3.Connection:
    """Open a file with SQLite.

    Args:
        uri: See :mod:`sqlite3`.
        busy_seconds: Timeout of another connection's lock.
        is_exclusive: Whether to lock out all other processes; then no index of the WAL is written.
        may_be_truncated: Whether the file may be truncated by a kill, with the rest in its WAL.

    Raises:
        sqlite3.Error: If it cannot be opened.
    """
    connection = sqlite3.connect(uri, uri=True, timeout=busy_seconds, isolation_level=None)
    # A flipped bit may make text invalid UTF-8: only its record is damaged then.
    connection.text_factory = partial(str, encoding="utf-8", errors="replace")
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MAX_VALUE_BYTES)
    connection.setlimit(sqlite3.SQLITE_LIMIT_SQL_LENGTH, _MAX_SQL_BYTES)
    connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    try:
        for pragma in (
            f"locking_mode = {'EXCLUSIVE' if is_exclusive else 'NORMAL'}",
            f"writable_schema = {'ON' if may_be_truncated else 'OFF'}",
            "trusted_schema = OFF",
            "cell_size_check = ON",
            "mmap_size = 0",
            "temp_store = MEMORY",  # independent of a full or cleaned temporary folder
            "secure_delete = FAST",  # Debian's SQLite would otherwise overwrite all removed data
            "synchronous = NORMAL",
            "wal_autocheckpoint = 0",
            f"journal_size_limit = {_MAX_WAL_BYTES}",
            f"query_only = {'OFF' if writable else 'ON'}",
        ):
            connection.execute(f"PRAGMA {pragma}")
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.Error:
        close_without_checkpoint(connection)
        raise
    except UnicodeDecodeError as error:
        # SQLite's message about an invalid schema quotes it, including flipped bits.
        close_without_checkpoint(connection)
        raise sqlite3.DatabaseError("its tables are not described by text") from error
    return connection


def close_without_checkpoint(connection: sqlite3.Connection) -> None:
    """Close a connection without the checkpoint on the last close."""
    if sys.version_info >= (3, 12):
        connection.setconfig(sqlite3.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, True)
    else:
        # An interrupt ends the checkpoint before its first page.
        connection.interrupt()
    connection.close()
