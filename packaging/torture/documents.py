"""Documents in which something is damaged, read by every command that reads one.

A document holds two runs, each on a table of its own. Of the second run (or of what both share) a
value, a column, a row or some bytes are damaged, or the file itself is. Whoever reads it has to end
in a sentence or go on; and where only the second run is damaged, the first one can be shown and
predicted with as if nothing were.
"""

import contextlib
import copy
import io
import random
import re
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from studio.cli.entry import main as command
from studio.document import sealing
from studio.document.store import Document
from studio.errors import DocumentError
from studio.runs.engine import Engine
from studio.runs.inline import InlinePool
from studio.runs.settings import RunSettings, Source
from studio.space.library import default_for

STRANGE: tuple[object, ...] = (
    None, True, -1, 0, 2**62, 0.5, 1e308, "", "\x1b[2J", "no such thing", [], [1], [[]], {},
    {"more": 1},
)  # fmt: skip
"""What takes the place of a value."""

STRANGE_CELLS: tuple[object, ...] = (
    None, -1, 0, 1, 2, 3, 2**62, 0.5, 1e308, "", "no such thing", b"", b"\x80" * 9, "[" * 5000,
)  # fmt: skip
"""What takes the place of a column."""

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
"""What belongs to the second run alone."""


@dataclass
class Found:
    """What came of a group.

    Attributes
    ----------
    cases, told, unharmed : int
        How often something was tried; ended in a sentence; went on as if nothing were.
    faults : list of str
        What ended in neither.
    """

    cases: int = 0
    told: int = 0
    unharmed: int = 0
    faults: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class _Damaged:
    """What was damaged.

    Attributes
    ----------
    what : str
        For people.
    second : bool
        Whether it belongs to the second run alone.
    forged : bool
        Whether its checksum is right again: then it is another document, which may tell otherwise.
    """

    what: str
    second: bool
    forged: bool = False


def try_documents(folder: Path, cases: int, rng: random.Random) -> Found:
    """Damage a document in one place at a time and let every reader read it.

    Parameters
    ----------
    folder : Path
        An empty one.
    cases : int
        How many damaged documents.
    rng : random.Random
        Chooses what is damaged, and how.
    """
    whole, arrays = _document(folder)
    found = Found()
    path = folder / "case.studio"
    readers, others = _readers(folder, path, 2), _readers(folder, path, 1)
    shutil.copyfile(whole, path)
    sound = {name: _asked(words, folder) for name, words in readers.items()}
    for case in range(cases):
        shutil.copyfile(whole, path)
        damaged = rng.choice(_DAMAGES)(path, rng, arrays)
        asked = [(name, words, False) for name, words in readers.items()]
        asked += [(f"{name} of the other run", words, True) for name, words in others.items()]
        for name, words, other in asked:
            if other and not damaged.second:
                continue
            found.cases += 1
            answer = _asked(words, folder)
            code, said = answer.code, answer.said
            last = [line for line in said.splitlines() if line and not line.startswith(" ")]
            silent = not (code or damaged.forged or other or "damaged" in said)
            if silent and answer.made != sound[name].made:
                found.faults.append(f"case {case}, {damaged.what}, {name}: silently different")
            elif "fault of the program" in said or code not in (0, 1, 2) or (other and code):
                found.faults.append(f"case {case}, {damaged.what}, {name}: {last[-2:]}")
            elif code:
                found.told += 1
            else:
                found.unharmed += 1
    return found


def _document(folder: Path) -> tuple[Path, int]:
    """Return a document of two runs, and the last of the arrays that belong to the first one."""
    rng = np.random.default_rng(0)
    lines = [f"{a:.3f},{b:.3f},{'yn'[int(a + b > 0)]}" for a, b in rng.normal(size=(80, 2))]
    table = folder / "table.csv"
    table.write_text("\n".join(["a,b,target", *lines]))
    settings = RunSettings(
        method="RS-post", budget=5, workers=1, refit=False, source=Source(path=str(table))
    )
    path = folder / "whole.studio"
    with Document.create(path) as document:
        document.set_note("window.data", {"table": 1})
        document.save_space("main", default_for("binary").to_json())
        for run in (1, 2):
            assert document.add_run(f"run {run}", settings.to_json()) == run
            if run == 2:
                arrays = _newest_array(path)
            Engine(document, run, lambda progress: None, InlinePool).work()
    return path, arrays


def _newest_array(path: Path) -> int:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        ((newest,),) = connection.execute("SELECT max(id) FROM arrays").fetchall()
    return int(newest)


@dataclass(frozen=True)
class _Answer:
    """What came of a command: its exit code, what it said, and what it wrote or printed."""

    code: int
    said: str
    made: str


def _readers(folder: Path, document: Path, run: int) -> Mapping[str, Sequence[str]]:
    out, this = str(folder / "out"), ("--run", str(run))
    return {
        "show": ("show", str(document), "--json", *this),
        "report": ("export", str(document), "--format", "report", "-o", out, *this),
        "trials": ("export", str(document), "--format", "trials", "-o", out, *this),
        "space": ("export", str(document), "--format", "space", "-o", out, *this),
        "predict": ("predict", str(document), str(folder / "table.csv"), "-o", out, *this),
    }


def _asked(words: Sequence[str], folder: Path) -> _Answer:
    out, (printed, said) = folder / "out", (io.StringIO(), io.StringIO())
    out.unlink(missing_ok=True)
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(said):
        try:
            code = command(list(words))
        except SystemExit as ended:
            code = int(ended.code or 0)
    made = out.read_text() if out.exists() else printed.getvalue()
    # The size of the file is no result.
    return _Answer(code, said.getvalue(), re.sub(r'"document_bytes": \d+', "", made))


def _value(path: Path, rng: random.Random, arrays: int) -> _Damaged:
    """Change one value of one record, with a right checksum, as only an enemy does."""
    with _open(path) as connection:
        while True:
            table, column, name = rng.choice(RECORDS)
            row = _row(connection, table, arrays, rng, f"{name}, {column}")
            if row is None or row.values[1] is None:
                continue
            label, text = row.values
            content = sealing.unseal(text, label)
            places = list(_places(content))
            if not places:
                continue
            where, change = rng.choice(places)
            changed = copy.deepcopy(content)
            strange = rng.choice(STRANGE)
            change(changed, strange)
            with contextlib.suppress(DocumentError):
                row.put(connection, column, sealing.seal(changed, label))
                return _Damaged(f"{label} {where} = {strange!r}", row.second, forged=True)


def _column(path: Path, rng: random.Random, arrays: int) -> _Damaged:
    """Put something else into a column of a row, be it what the column cannot hold."""
    loosely = rng.random() < 0.5
    with _open(path, loosely=loosely) as connection:
        while True:
            table = rng.choice(_tables(connection))
            row = _row(connection, table, arrays, rng, "1")
            columns = [each[1] for each in connection.execute(f"PRAGMA table_info({table})")]
            column, strange = rng.choice(columns), rng.choice(STRANGE_CELLS)
            if row is None:
                continue
            with contextlib.suppress(sqlite3.IntegrityError):
                row.put(connection, column, strange)
                how = "loosely " if loosely else ""
                return _Damaged(
                    f"{how}{row.name} {column} = {strange!r:.30}", row.second and not loosely
                )


def _deleted(path: Path, rng: random.Random, arrays: int) -> _Damaged:
    """Delete a row."""
    with _open(path) as connection:
        while True:
            row = _row(connection, rng.choice(_tables(connection)), arrays, rng, "1")
            if row is not None:
                connection.execute(f"DELETE FROM {row.table} WHERE {row.key}")
                return _Damaged(f"{row.name} deleted", row.second)


def _bytes(path: Path, rng: random.Random, arrays: int) -> _Damaged:
    """Flip a bit of a text or blob, cut it short, or fill its end with zeros."""
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
            changed, how = _spoilt(row.values[0], rng)
            kind = row.values[1].upper()
            put = f"UPDATE {table} SET {column} = CAST(? AS {kind}) WHERE {row.key}"
            with contextlib.suppress(sqlite3.IntegrityError):
                connection.execute(put, (changed,))
                return _Damaged(f"{row.name} {column} {how}", row.second)


def _file(path: Path, rng: random.Random, arrays: int) -> _Damaged:
    """Do the same to the file itself."""
    del arrays
    changed, how = _spoilt(path.read_bytes(), rng)
    path.write_bytes(changed)
    return _Damaged(f"the file {how}", second=False)


_DAMAGES: tuple[Callable[[Path, random.Random, int], _Damaged], ...] = (
    _value, _value, _column, _column, _deleted, _bytes, _bytes, _file,
)  # fmt: skip


def _spoilt(content: bytes, rng: random.Random) -> tuple[bytes, str]:
    """Return bytes with a flipped bit, cut short, or with some of them zero; and which it is."""
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
    """A row of the document's database: its table, how it is found, and what was asked of it."""

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
    """Return one of the table's rows: of the second run alone, where some belong to that."""
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
    """Open a document as any program can; loosely: so that a column holds what it must not."""
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


def _places(
    content: Any, above: tuple[Any, ...] = ()
) -> Iterator[tuple[str, Callable[[Any, object], None]]]:
    """Yield every value within a JSON value: its place, and what puts another one there."""
    inside: dict[Any, Any] = content if isinstance(content, dict) else {}
    if isinstance(content, list):
        inside = dict(enumerate(content))
    for key, value in inside.items():
        place = (*above, key)

        def change(whole: Any, strange: object, place: tuple[Any, ...] = place) -> None:
            for step in place[:-1]:
                whole = whole[step]
            whole[place[-1]] = strange

        yield "/".join(map(str, place)), change
        yield from _places(value, place)
