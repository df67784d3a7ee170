"""Documents forged by hand: one value of one record is another, and the checksum is right again."""

import contextlib
import copy
import json
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from studio.document import sealing

MISSING = object()

STRANGE: tuple[object, ...] = (
    MISSING, None, True, -1, 1 << 70, 10**400, 0.5, "NaN", "1e999", "no such thing", [], [[]], {},
    {"more": 1},
)  # fmt: skip
"""What takes the place of a value; "NaN" and "1e999" stand there as numbers."""

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
    ("requests", "body", "'request ' || run"),
    ("messages", "body", "'message'"),
    ("notes", "body", "'note ' || name"),
)
"""Table, column, label of a record."""


@dataclass(frozen=True)
class Record:
    """A sealed record: where it stands, its label, and what it says."""

    table: str
    column: str
    row: object
    label: str
    sealed: str

    @property
    def content(self) -> Any:
        return json.loads(self.sealed[sealing.DIGITS :])

    @property
    def kind(self) -> str:
        """What records of its kind have in common: "trial", "note window.run"."""
        if self.table == "notes":
            return " ".join(self.label.split('"')[1].split(" ")[:2])
        return f"{self.table} {self.column}"


def records(path: Path) -> list[Record]:
    """Return all sealed records of a document."""
    found = []
    with contextlib.closing(sqlite3.connect(path)) as connection:
        for table, column, label in RECORDS:
            key = "name" if table == "notes" else "rowid"
            rows = connection.execute(f"SELECT {key}, {label}, {column} FROM {table}").fetchall()
            found += [Record(table, column, *row) for row in rows if row[2] is not None]
    return found


def places(content: Any, above: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield where every value within a JSON value stands; of a list its first two."""
    yield above
    inside: dict[Any, Any] = content if isinstance(content, dict) else {}
    if isinstance(content, list):
        inside = dict(enumerate(content[:2]))
    for key, value in inside.items():
        yield from places(value, (*above, key))


def forged(record: Record, place: tuple[Any, ...], strange: object) -> str | None:
    """Return the sealed text with something strange at a place; ``None`` where nothing differs."""
    content = {"": copy.deepcopy(record.content)}
    holder: Any = content
    steps = ("", *place)
    for step in steps[:-1]:
        holder = holder[step]
    if strange is MISSING:
        if not place:
            return None
        del holder[steps[-1]]
    else:
        if type(holder[steps[-1]]) is type(strange) and holder[steps[-1]] == strange:
            return None
        holder[steps[-1]] = strange
    text = json.dumps(content[""], separators=(",", ":"))
    for number in ("NaN", "1e999"):
        if strange == number:
            text = text.replace(f'"{number}"', number)
    return sealed(record.label, text)


def sealed(label: str, text: str) -> str:
    """Return JSON text with its checksum."""
    return f"{sealing._checksum(text, label):08x}{text}"


def put(path: Path, record: Record, sealed: str) -> None:
    """Write a record's text into its row."""
    key = "name" if record.table == "notes" else "rowid"
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(
            f"UPDATE {record.table} SET {record.column} = ? WHERE {key} = ?", (sealed, record.row)
        )
