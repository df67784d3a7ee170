"""Damages of a document as a file, and as a database."""

import random
import sqlite3
from collections.abc import Callable
from pathlib import Path

from torture.document_records import Damaged, damage_bytes

FileDamage = Callable[[Path, random.Random], str]
"""Damages a document; returns a description."""

HUGE = 40 * 2**20


def _damage_file(path: Path, rng: random.Random) -> str:
    damaged, damage_kind = damage_bytes(path.read_bytes(), rng)
    path.write_bytes(damaged)
    return f"the file {damage_kind}"


def _cut_short(path: Path, rng: random.Random) -> str:
    octets = path.read_bytes()
    at = rng.choice((0, 1, 15, 16, 100, 4096, rng.randrange(len(octets)), len(octets) - 1))
    path.write_bytes(octets[:at])
    return f"cut after {at} bytes"


def _flipped_bits(path: Path, rng: random.Random) -> str:
    octets, n_bits = bytearray(path.read_bytes()), rng.choice((1, 8, 200))
    max_span = rng.choice((100, 4096, len(octets)))
    for _ in range(n_bits):
        octets[rng.randrange(min(max_span, len(octets)))] ^= 1 << rng.randrange(8)
    path.write_bytes(octets)
    return f"{n_bits} bits flipped in the first {max_span} bytes"


def _zeros(path: Path, rng: random.Random) -> str:
    octets, size = bytearray(path.read_bytes()), rng.choice((16, 512, 4096, 65536))
    at = rng.randrange(len(octets))
    octets[at : at + size] = bytes(len(octets[at : at + size]))
    path.write_bytes(octets)
    return f"{size} zeros at {at}"


def _swapped_pages(path: Path, rng: random.Random) -> str:
    octets, page = bytearray(path.read_bytes()), 4096
    one, two = (rng.randrange(max(1, len(octets) // page)) * page for _ in range(2))
    octets[one : one + page], octets[two : two + page] = (
        octets[two : two + page],
        octets[one : one + page],
    )
    path.write_bytes(octets)
    return f"pages at {one} and {two} exchanged"


def _trailing_bytes(path: Path, rng: random.Random) -> str:
    with path.open("ab") as file:
        file.write(rng.randbytes(rng.choice((1, 5000))))
    return "more bytes at the end"


def _foreign_log(path: Path, rng: random.Random) -> str:
    ending = rng.choice(("-wal", "-shm", "-journal"))
    content = rng.choice((b"", rng.randbytes(5000), b"\x37\x7f\x06\x82" + rng.randbytes(4000)))
    path.with_name(path.name + ending).write_bytes(content)
    return f"{len(content)} bytes as {ending}"


def _folder_as_log(path: Path, rng: random.Random) -> str:
    ending = rng.choice(("-wal", "-shm", "-journal"))
    path.with_name(path.name + ending).mkdir()
    return f"a folder as {ending}"


def _lost_log(path: Path, rng: random.Random) -> str:
    """Leave out the log, which has the last transactions."""
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("UPDATE runs SET revision = revision")
    connection.commit()
    octets = path.read_bytes()
    connection.close()
    path.write_bytes(octets)
    return "the log is missing"


def _hostile_sql(path: Path, rng: random.Random) -> str:
    name = rng.choice(_tables(path))
    column = rng.choice(_columns(path, name))
    statement = rng.choice(
        (
            f"CREATE TRIGGER t AFTER UPDATE ON {name} BEGIN DELETE FROM {name}; END",
            f"CREATE TRIGGER t BEFORE INSERT ON {name} BEGIN SELECT RAISE(ABORT, 'x\x1b[2J'); END",
            f"ALTER TABLE {name} RENAME TO gone",
            f"ALTER TABLE {name} RENAME COLUMN {column} TO gone",
            f"DROP TABLE {name}",
            f"DELETE FROM {name}",
            f"CREATE TABLE more (a, b); INSERT INTO more VALUES (1, zeroblob({HUGE}))",
            f"UPDATE {name} SET {column} = zeroblob({HUGE})",
            f"UPDATE {name} SET {column} = NULL",
            f"UPDATE {name} SET {column} = 'x' || char(27) || '[2J'",
            f"UPDATE {name} SET {column} = 9223372036854775807",
            f"UPDATE {name} SET {column} = 1e999",
            f"UPDATE {name} SET {column} = CAST({column} AS BLOB)",
            "PRAGMA user_version = 999",
            "PRAGMA user_version = -1",
            "PRAGMA application_id = 7",
            "PRAGMA encoding = 'UTF-16'",
            "PRAGMA auto_vacuum = 1; VACUUM",
            "PRAGMA page_size = 65536; PRAGMA journal_mode = DELETE; VACUUM",
        )
    )
    _execute(path, statement)
    return statement[:70]


def _view_instead_of_table(path: Path, rng: random.Random) -> str:
    name = rng.choice(_tables(path))
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"
    body = rng.choice((f"SELECT * FROM kept_{name}", f"SELECT * FROM {name}", endless))
    columns = ", ".join(_columns(path, name))
    # The endless query has as many columns as the table, and infinitely many rows.
    if body == endless:
        body = f"WITH n AS ({endless}) SELECT {', '.join(['i'] * (columns.count(',') + 1))} FROM n"
    renamed = f"ALTER TABLE {name} RENAME TO kept_{name}"
    _execute(path, f"{renamed}; CREATE VIEW {name}({columns}) AS {body}")
    return f"{name} is a view"


def _hostile_schema(path: Path, rng: random.Random) -> str:
    """Change the text of the schema itself, as no statement would."""
    name = rng.choice(_tables(path))
    text = rng.choice(("", "CREATE TABLE", f"CREATE TABLE {name}(x)", "SELECT 1", "\x1b[2J", None))
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA writable_schema = ON")
    connection.execute("UPDATE sqlite_master SET sql = ? WHERE name = ?", (text, name))
    connection.commit()
    connection.close()
    return f"the schema of {name} is {text!r}"


def _tables(path: Path) -> list[str]:
    listed = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
    connection = sqlite3.connect(path)
    try:
        return [name for (name,) in connection.execute(listed)]
    finally:
        connection.close()


def _columns(path: Path, table: str) -> list[str]:
    connection = sqlite3.connect(path)
    try:
        return [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
    finally:
        connection.close()


def _execute(path: Path, script: str) -> None:
    connection = sqlite3.connect(path)
    try:
        connection.executescript(script)
        connection.commit()
    except sqlite3.Error:  # rejected by a constraint: the document is unchanged
        connection.rollback()
    finally:
        connection.close()


FILES: tuple[FileDamage, ...] = (
    _damage_file,
    _cut_short,
    _flipped_bits,
    _zeros,
    _swapped_pages,
    _trailing_bytes,
    _foreign_log,
    _folder_as_log,
)
"""Accidental damages of a file; nothing may differ silently then."""

FORGERIES: tuple[FileDamage, ...] = (
    _lost_log,
    _hostile_sql,
    _hostile_sql,
    _view_instead_of_table,
    _hostile_schema,
)
"""Deliberate changes: they make another document, which may differ."""


def file_damage(path: Path, rng: random.Random, arrays: int) -> Damaged:
    """Damage a document as a file, or as a database."""
    del arrays
    forged = rng.random() < 0.5
    description = rng.choice(FORGERIES if forged else FILES)(path, rng)
    return Damaged(description, second=False, forged=forged)
