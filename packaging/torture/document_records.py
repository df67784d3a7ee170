"""Damages of one record, row or column of a document, preferably of its second run.

In a document of two runs, a value, a column, a row, some bytes or the whole file is damaged.
"""

import contextlib
import copy
import random
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from studio.document import sealing
from studio.errors import DocumentError
from torture.json_paths import STRANGE, iter_places

STRANGE_CELLS: tuple[object, ...] = (
    None, -1, 0, 1, 2, 3, 2**62, 0.5, 1e308, "", "no such thing", b"", b"\x80" * 9, "[" * 5000,
)  # fmt: skip
"""Replacements of a column."""

RECORDS = (
    ("runs", "body", "'run ' || id"),
    ("runs", "status", "'status ' || id"),
    ("runs", "owner", "'owner ' || id"),
    ("trials", "body", "'trial ' || run || ' ' || number"),
    ("spaces", "body", "'space ' || id"),
    ("data", "body", "'table ' || id"),
    ("arrays", "header", "'array ' || id"),
    ("ensembles", "body", "'ensemble ' || run"),
    ("running", "body", "'running ' || run"),
    ("messages", "body", "'message'"),
    ("notes", "body", "'note ' || name"),
)
"""Table, column, label of a record."""

SECOND = {
    "runs": "id = 2",
    "trials": "run = 2",
    "messages": "run = 2",
    "running": "run = 2",
    "ensembles": "run = 2",
    "data": "id = 2",
    "arrays": "id > {arrays}",
    "blocks": "id >> 20 > {arrays}",
}
"""Records of the second run only."""


@dataclass(frozen=True)
class Damaged:
    """Description of a damage.

    Attributes:
        what: For people.
        second: Whether it belongs to the second run alone.
        forged: Whether its checksum is valid: then it is another document, which may differ.
    """

    what: str
    second: bool
    forged: bool = False


Damage = Callable[[Path, random.Random, int], Damaged]
"""Damages a document, given the number of the last array of the first run."""


def _value(path: Path, rng: random.Random, arrays: int) -> Damaged:
    """Forge one value of one record, with a valid checksum."""
    with _open(path) as connection:
        while True:
            table, column, name = rng.choice(RECORDS)
            row = _row(connection, table, arrays, rng, f"{name}, {column}")
            if row is None or row.values[1] is None:
                continue
            label, text = row.values
            content = sealing.unseal(text, label)
            inner_places = list(iter_places(content))
            if not inner_places:
                continue
            inner_place, change = rng.choice(inner_places)
            damaged = copy.deepcopy(content)
            strange_value = rng.choice(STRANGE)
            change(damaged, strange_value)
            with contextlib.suppress(DocumentError):
                row.put(connection, column, sealing.seal(damaged, label))
                return Damaged(
                    f"{label} {inner_place} = {strange_value!r}", row.second, forged=True
                )


def _column(path: Path, rng: random.Random, arrays: int) -> Damaged:
    """Replace a column's value of a row, possibly by an invalid one."""
    loosely = rng.random() < 0.5
    with _open(path, loosely=loosely) as connection:
        while True:
            table = rng.choice(_tables(connection))
            row = _row(connection, table, arrays, rng, "1")
            columns = [each[1] for each in connection.execute(f"PRAGMA table_info({table})")]
            column, strange_value = rng.choice(columns), rng.choice(STRANGE_CELLS)
            if row is None:
                continue
            with contextlib.suppress(sqlite3.IntegrityError):
                row.put(connection, column, strange_value)
                prefix = "loosely " if loosely else ""
                return Damaged(
                    f"{prefix}{row.name} {column} = {strange_value!r:.30}",
                    row.second and not loosely,
                )


def _deleted(path: Path, rng: random.Random, arrays: int) -> Damaged:
    """Delete a row."""
    with _open(path) as connection:
        while True:
            row = _row(connection, rng.choice(_tables(connection)), arrays, rng, "1")
            if row is not None:
                connection.execute(f"DELETE FROM {row.table} WHERE {row.key}")
                return Damaged(f"{row.name} deleted", row.second)


def _bytes(path: Path, rng: random.Random, arrays: int) -> Damaged:
    """Damage a text or blob: flip a bit, truncate it, or zero its end."""
    with _open(path) as connection:
        while True:
            table = rng.choice(_tables(connection))
            named = [each[1:3] for each in connection.execute(f"PRAGMA table_info({table})")]
            held = [name for name, kind in named if kind in {"TEXT", "BLOB"}]
            if not held:
                continue
            column = rng.choice(held)
            row = _row(connection, table, arrays, rng, f"CAST({column} AS BLOB), typeof({column})")
            if row is None or not row.values[0]:
                continue
            changed, how = damage_bytes(row.values[0], rng)
            kind = row.values[1].upper()
            put = f"UPDATE {table} SET {column} = CAST(? AS {kind}) WHERE {row.key}"
            with contextlib.suppress(sqlite3.IntegrityError):
                connection.execute(put, (changed,))
                return Damaged(f"{row.name} {column} {how}", row.second)


def damage_bytes(content: bytes, rng: random.Random) -> tuple[bytes, str]:
    """Return damaged bytes and the kind of damage."""
    place = rng.randrange(len(content))
    how = rng.choice(("flipped", "cut", "zeroed"))
    spoilt = bytearray(content)
    if how == "flipped":
        spoilt[place] ^= 1 << rng.randrange(8)
    elif how == "cut":
        del spoilt[place:]
    else:
        end = min(len(content), place + rng.choice((1, 16, 4096)))
        spoilt[place:end] = bytes(end - place)
    return bytes(spoilt), f"{how} at {place}"


@dataclass(frozen=True)
class _Row:
    """A row of the document's database, with its table and condition."""

    table: str
    key: str
    values: tuple[Any, ...]
    second: bool

    @property
    def name(self) -> str:
        return f"{self.table} {self.key}"

    def put(self, connection: sqlite3.Connection, column: str, value: object) -> None:
        """Put a value into a column."""
        connection.execute(f"UPDATE {self.table} SET {column} = ? WHERE {self.key}", (value,))


def _row(
    connection: sqlite3.Connection, table: str, arrays: int, rng: random.Random, asked: str
) -> _Row | None:
    """Return a row of the table, preferably of the second run."""
    only = SECOND.get(table, "1").format(arrays=arrays)
    key = "name" if table == "notes" else "rowid"
    rows = connection.execute(f"SELECT {key}, {asked} FROM {table} WHERE {only}").fetchall()
    if not rows:
        return None
    chosen, *values = rng.choice(rows)
    named = f"{key} = {chosen}" if key == "rowid" else f"name = '{chosen}'"
    return _Row(table, named, tuple(values), table in SECOND)


def _tables(connection: sqlite3.Connection) -> list[str]:
    found = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    return [name for (name,) in found]


@contextlib.contextmanager
def _open(path: Path, *, loosely: bool = False) -> Iterator[sqlite3.Connection]:
    """Open a document directly; ``loosely``: without checks of columns."""
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        schema = connection.execute("SELECT rowid, sql FROM sqlite_master").fetchall()
        if loosely:
            connection.execute("PRAGMA writable_schema = ON")
            for row, sql in schema:
                loose = (sql or "").replace("NOT NULL", "").replace(") STRICT", ")")
                connection.execute(
                    "UPDATE sqlite_master SET sql = ? WHERE rowid = ?",
                    (
                        loose.replace("),  WITHOUT", ") WITHOUT").replace(
                            "), WITHOUT", ") WITHOUT"
                        ),
                        row,
                    ),
                )
            connection.commit()
    with contextlib.closing(sqlite3.connect(path)) as connection:
        with connection:
            yield connection
        if loosely:
            connection.execute("PRAGMA writable_schema = ON")
            with connection:
                for row, sql in schema:
                    connection.execute(
                        "UPDATE sqlite_master SET sql = ? WHERE rowid = ?", (sql, row)
                    )


RECORD_DAMAGES: tuple[Damage, ...] = (_value, _value, _column, _column, _deleted, _bytes, _bytes)
