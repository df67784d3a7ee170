"""SQLite connections that trust nothing in the file."""

import sqlite3
import sys
from functools import partial

_WAL_KEPT_BYTES = 32 << 20
_LARGEST_VALUE = 64 << 20
_LARGEST_SQL = 1 << 20


def connected(
    uri: str,
    writable: bool,
    busy_seconds: float,
    *,
    alone: bool = False,
    unfinished: bool = False,
) -> sqlite3.Connection:
    """Open a file with SQLite.

    Args:
        uri: As :mod:`sqlite3` takes it.
        writable: Whether its contents may be changed.
        busy_seconds: How long to wait for another connection's turn.
        alone: Whether no other process may have it open from now on: no index of its log is then
            written.
        unfinished: Whether it may be shorter than it says, as a kill leaves it whose log has the
            rest.

    Raises:
        sqlite3.Error: If it cannot be opened.
    """
    connection = sqlite3.connect(uri, uri=True, timeout=busy_seconds, isolation_level=None)
    # A flipped bit may make a text no UTF-8: its record is damaged, not all that are read with it.
    connection.text_factory = partial(str, encoding="utf-8", errors="replace")
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LARGEST_VALUE)
    connection.setlimit(sqlite3.SQLITE_LIMIT_SQL_LENGTH, _LARGEST_SQL)
    connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    try:
        for pragma in (
            f"locking_mode = {'EXCLUSIVE' if alone else 'NORMAL'}",
            f"writable_schema = {'ON' if unfinished else 'OFF'}",
            "trusted_schema = OFF",
            "cell_size_check = ON",
            "mmap_size = 0",
            "temp_store = MEMORY",  # a full or cleaned temporary folder is no concern of ours
            "secure_delete = FAST",  # Debian's SQLite would otherwise overwrite all removed data
            "synchronous = NORMAL",
            "wal_autocheckpoint = 0",
            f"journal_size_limit = {_WAL_KEPT_BYTES}",
            f"query_only = {'OFF' if writable else 'ON'}",
        ):
            connection.execute(f"PRAGMA {pragma}")
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.Error:
        abandon(connection)
        raise
    except UnicodeDecodeError as error:
        # What SQLite says of a schema that does not parse quotes it, flipped bits included.
        abandon(connection)
        raise sqlite3.DatabaseError("its tables are not described by text") from error
    return connection


def abandon(connection: sqlite3.Connection) -> None:
    """Close a connection and leave the log as it is: the last to close moves it into the file."""
    if sys.version_info >= (3, 12):
        connection.setconfig(sqlite3.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, True)
    else:
        # What an interrupt ends is moving the log, before its first page.
        connection.interrupt()
    connection.close()
