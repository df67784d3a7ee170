"""A connection to SQLite that trusts nothing in the file."""

import sqlite3
from functools import partial

_WAL_KEPT_BYTES = 32 << 20
_LARGEST_VALUE = 64 << 20
_LARGEST_SQL = 1 << 20


def connected(uri: str, writable: bool, busy_seconds: float) -> sqlite3.Connection:
    """Open a file as :mod:`sqlite3` names it by a URI."""
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
