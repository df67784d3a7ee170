"""Tables of a ``.studio`` file, their versions, and the rejection of other files.

``SCRIPTS[0]`` creates a document of version 1; ``SCRIPTS[k]`` upgrades version k to k + 1. A new
version is one more script: creating a document runs all of them, opening an older one the remaining
ones. ``sqlite_master`` must contain exactly the objects created by the scripts of the version, so a
document cannot contain its own triggers, views, virtual tables or expressions.

Columns called ``body``, ``status``, ``owner`` or ``header`` hold sealed JSON
(:mod:`studio.document.sealing`). ``revision`` is the value of ``clock`` at the last change, which
followers use to find changes.
"""

import sqlite3

from studio.document import sealing
from studio.errors import DocumentError

APPLICATION_ID = 0x45535431
"""``EST1``: SQLite's application id."""

_VERSION_1 = """
CREATE TABLE clock (id INTEGER PRIMARY KEY CHECK (id = 1), value INTEGER NOT NULL) STRICT;
INSERT INTO clock VALUES (1, 0);
CREATE TABLE arrays (id INTEGER PRIMARY KEY, draft INTEGER, header TEXT NOT NULL) STRICT;
CREATE TABLE blocks (id INTEGER PRIMARY KEY, crc INTEGER NOT NULL, data BLOB NOT NULL) STRICT;
CREATE TABLE data (
    id INTEGER PRIMARY KEY, revision INTEGER NOT NULL, writer TEXT, body TEXT
) STRICT;
CREATE TABLE spaces (
    id INTEGER PRIMARY KEY, revision INTEGER NOT NULL, name TEXT NOT NULL, body TEXT NOT NULL
) STRICT;
CREATE INDEX spaces_by_name ON spaces (name, id);
CREATE TABLE runs (
    id INTEGER PRIMARY KEY, revision INTEGER NOT NULL, body TEXT NOT NULL, status TEXT NOT NULL,
    owner TEXT, heartbeat REAL NOT NULL
) STRICT;
CREATE TABLE requests (id INTEGER PRIMARY KEY, run INTEGER NOT NULL, body TEXT NOT NULL) STRICT;
CREATE TABLE running (
    run INTEGER PRIMARY KEY, revision INTEGER NOT NULL, body TEXT NOT NULL
) STRICT;
CREATE TABLE trials (
    id INTEGER PRIMARY KEY, run INTEGER NOT NULL, number INTEGER NOT NULL, body TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX trials_by_number ON trials (run, number);
CREATE TABLE messages (id INTEGER PRIMARY KEY, run INTEGER, body TEXT NOT NULL) STRICT;
CREATE TABLE notes (
    name TEXT PRIMARY KEY, revision INTEGER NOT NULL, body TEXT NOT NULL
) STRICT, WITHOUT ROWID;
"""

_VERSION_2 = """
CREATE TABLE ensembles (
    run INTEGER PRIMARY KEY, revision INTEGER NOT NULL, body TEXT NOT NULL
) STRICT;
"""

_VERSION_3 = ""
"""No new table: records may hold phrases as objects, which earlier programs cannot read."""

_VERSION_4 = ""
"""No new table: runs may hold a decision, which earlier programs cannot read."""

_VERSION_5 = """
ALTER TABLE clock ADD COLUMN stamp TEXT;
UPDATE clock SET stamp = hex(zeroblob(8)) || lower(hex(randomblob(8)));
"""
"""Transactions write stamps (:mod:`studio.document.log_check`), unlike in earlier programs."""

SCRIPTS: tuple[str, ...] = (_VERSION_1, _VERSION_2, _VERSION_3, _VERSION_4, _VERSION_5)

FIRST_STAMPED_VERSION = 5

OLDEST_READABLE_VERSION = 1
"""First version readable without an upgrade."""


_STAMP = """
UPDATE clock
SET stamp = substr(hex(zeroblob(8)) || coalesce(stamp, ''), -16) || lower(hex(randomblob(8)))
"""


def create(connection: sqlite3.Connection) -> None:
    """Create the tables of the newest version in an empty database."""
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    _run_scripts(connection, 0)


def verify(connection: sqlite3.Connection, name: str) -> int:
    """Check that a database is an undamaged document without foreign objects; return its version.

    Args:
        connection: With ``trusted_schema`` off.
        name: The file's name, for the messages.

    Raises:
        DocumentError: With the reason and a remedy.
        sqlite3.Error: If SQLite cannot read it.
    """
    check_format(connection, name)
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version > len(SCRIPTS):
        raise DocumentError(
            "{name!r} was created by a newer Ensemble Studio (document version {version}; this "
            "program reads versions up to {n_scripts}). Install the newer program to open it.",
            name=name,
            version=version,
            n_scripts=len(SCRIPTS),
        )
    if version < 1:
        sealing.raise_damaged("version")
    _compare_schema(connection, version, name)
    # Most of a document consists of blocks, whose checksums are verified on reading.
    tables = connection.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name != 'blocks'"
    ).fetchall()
    for (table,) in tables:
        ((answer, *_), *_) = connection.execute(f"PRAGMA quick_check({table})").fetchall()
        if answer != "ok":
            sealing.raise_damaged(table)
    return int(version)


def check_format(connection: sqlite3.Connection, name: str) -> None:
    """Reject an empty database, or one of another program, like :func:`verify`."""
    (mark,) = connection.execute("PRAGMA application_id").fetchone()
    if mark != APPLICATION_ID:
        raise DocumentError(
            "{name!r} is not an Ensemble Studio document (it is empty, or belongs to another "
            "program). Choose a .studio file created by Ensemble Studio.",
            name=name,
        )


def write_stamp(connection: sqlite3.Connection) -> None:
    """Write a new stamp after the previous one, in a transaction that changes a document."""
    connection.execute(_STAMP)


def has_stamp(connection: sqlite3.Connection) -> bool:
    """Return whether a document's version writes stamps."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return bool(version >= FIRST_STAMPED_VERSION)


def migrate(connection: sqlite3.Connection, version: int) -> None:
    """Upgrade a document to the newest version, in one transaction."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Another process may have upgraded it.
        (stored_version,) = connection.execute("PRAGMA user_version").fetchone()
        if has_stamp(connection):
            write_stamp(connection)  # for versions without stamps, the script writes the first
        _run_scripts(connection, max(stored_version, version))
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def _run_scripts(connection: sqlite3.Connection, version: int) -> None:
    # Not executescript(), which would commit the transaction around it.
    for script in SCRIPTS[version:]:
        for statement in script.split(";"):
            if statement.strip():
                connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {len(SCRIPTS)}")


def _compare_schema(connection: sqlite3.Connection, version: int, name: str) -> None:
    objects = _list_objects(connection)
    expected = _list_expected_objects(version)
    for kind, label, sql in sorted(objects - expected, key=str):
        raise DocumentError(
            "{name!r} contains an extra {kind} {label!r} ({sql!r}) not created by Ensemble Studio, "
            "so it was not opened. Use a document created by Ensemble Studio.",
            name=name,
            kind=kind,
            label=label,
            sql=(sql or "")[:60],
        )
    for _, label, _ in expected - objects:
        sealing.raise_damaged(label)


def _list_expected_objects(version: int) -> set[tuple[str, str, str | None]]:
    model = sqlite3.connect(":memory:", isolation_level=None)
    try:
        for script in SCRIPTS[:version]:
            model.executescript(script)
        return _list_objects(model)
    finally:
        model.close()


def _list_objects(connection: sqlite3.Connection) -> set[tuple[str, str, str | None]]:
    rows = connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master").fetchall()
    return {(str(kind), f"{name} on {table}", sql) for kind, name, table, sql in rows}
