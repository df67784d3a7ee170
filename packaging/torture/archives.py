"""Group 11: hostile archives, smuggled pickles, planted modules, without any effect.

Whatever could run would leave a marker; every unrequested file is a fault.
"""

import contextlib
import gzip
import io
import os
import pickle
import random
import sqlite3
import stat
import warnings
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

from torture.execution import STUDIO, run_inline, run_process
from torture.grid import sound_table
from torture.tables import QUICK
from torture.verdict import Verdict

Case = Callable[[Path, Random], Iterator[Verdict]]

MEMBERS = (
    "../evil.csv", "../../../tmp/evil.csv", "/etc/evil.csv", "C:\\evil.csv", "..\\evil.csv",
    "a/" * 200, "\x1b[2J.csv", "a\0b.csv", "t.csv/", "", "~/evil.csv", "x" * 5000 + ".csv", "con",
    "t.csv:stream",
)  # fmt: skip
MODULES = (
    "json", "numpy", "pandas", "sklearn", "lightgbm", "psutil", "studio", "sitecustomize",
    "argparse", "sqlite3", "csv", "random", "encodings", "charset_normalizer", "PySide6",
)  # fmt: skip

SHORT = ("--method", "RS", "--space", "svm-rbf", "--budget", "1", "--workers", "1")


class _Runs:
    """Runs code when unpickled."""

    def __init__(self, marker: Path) -> None:
        self.marker = marker

    def __reduce__(self) -> tuple[Callable[..., object], tuple[str, ...]]:
        return os.mkdir, (str(self.marker),)


def attempt(folder: Path, rng: Random, number: int) -> Iterator[Verdict]:
    """Try one smuggled payload; check that it had no effect."""
    run_case = CASES[number % len(CASES)]
    work = folder / "a" / "b" / "work"
    work.mkdir(parents=True)
    yield from run_case(work, rng)
    outside_files = [each for each in (folder / "a", folder / "a" / "b") for each in each.iterdir()]
    if outside_files != [folder / "a" / "b", work]:
        yield Verdict("fault", run_case.__name__, f"something was written outside: {outside_files}")
    if (work / "marker").exists():
        yield Verdict("fault", run_case.__name__, "code of a stranger ran")


def _hostile_zip(folder: Path, rng: Random) -> Iterator[Verdict]:
    table, path = sound_table(rng).write(folder), folder / "packed.zip"
    octets = io.BytesIO()
    packing = rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))
    with warnings.catch_warnings(), zipfile.ZipFile(octets, "w", packing) as archive:
        warnings.simplefilter("ignore")  # duplicate member names are intended
        for _ in range(rng.choice((1, 1, 2, 2000))):
            info = zipfile.ZipInfo(rng.choice(MEMBERS) or "x")
            if rng.random() < 0.3:
                info.external_attr = (stat.S_IFLNK | 0o777) << 16
            archive.writestr(info, rng.choice((table.read_bytes(), b"/etc/passwd", b"")))
    yield from _read(path, _torn(octets.getvalue(), rng), rng)


def _inconsistent_zip(folder: Path, rng: Random) -> Iterator[Verdict]:
    """Make a zip whose directory disagrees with a member about sizes, flags or methods."""
    octets = io.BytesIO()
    with zipfile.ZipFile(octets, "w") as archive:
        archive.writestr("t.csv", sound_table(rng).write(folder).read_bytes())
    damaged = bytearray(octets.getvalue())
    at = damaged.index(b"PK\x01\x02")
    for _ in range(rng.choice((1, 3))):
        damaged[at + rng.randrange(6, 46)] = rng.randrange(256)
    yield from _read(folder / "lying.zip", bytes(damaged), rng)


def _packed_twice(folder: Path, rng: Random) -> Iterator[Verdict]:
    octets = sound_table(rng).write(folder).read_bytes()
    for _ in range(rng.choice((1, 2, 5))):
        octets = rng.choice((gzip.compress, _zipped))(octets)
    yield from _read(folder / rng.choice(("t.csv", "t.gz", "t.zip")), _torn(octets, rng), rng)


def _pickle_as_model(folder: Path, rng: Random) -> Iterator[Verdict]:
    table = sound_table(rng).write(folder)
    path = folder / rng.choice(("m.pkl", "m.studio", "m.csv"))
    path.write_bytes(pickle.dumps(_Runs(folder / "marker")))
    output = folder / "out.csv"
    yield run_inline("a pickle as model", "predict", path, table, "-o", output)[0]
    yield run_inline("a pickle as table", "run", path, "-o", folder / "a.studio", *QUICK)[0]
    yield run_inline("a pickle as document", "show", path)[0]
    yield run_inline("a pickle as space", "run", table, "-o", folder / "b.studio", "--space", path)[
        0
    ]


def _pickle_in_a_document(folder: Path, rng: Random) -> Iterator[Verdict]:
    table, path = sound_table(rng).write(folder), folder / "a.studio"
    yield run_inline("a run", "run", table, "-o", path, *QUICK)[0]
    smuggled = pickle.dumps(_Runs(folder / "marker"))
    connection = sqlite3.connect(path)
    listed = "SELECT name FROM sqlite_master WHERE type = 'table'"
    tables = [name for (name,) in connection.execute(listed)]
    for name in rng.sample(tables, min(3, len(tables))):
        for _, column, *_ in connection.execute(f"PRAGMA table_info({name})").fetchall():
            if rng.random() < 0.5:
                with connection:
                    _put(connection, name, column, smuggled)
    connection.close()
    for arguments in (("show", path), ("predict", path, table, "-o", folder / "out.csv"),
                  ("export", path, "--format", "report", "-o", folder / "r.html")):  # fmt: skip
        yield run_inline(f"a pickle in a document: {arguments[0]}", *arguments)[0]


def _planted_modules(folder: Path, rng: Random) -> Iterator[Verdict]:
    table = sound_table(rng).write(folder)
    for name in rng.sample(MODULES, 6):
        plant = f"import os; os.mkdir({str(folder / 'marker')!r})\n"
        if rng.random() < 0.5:
            (folder / f"{name}.py").write_text(plant)
        else:
            (folder / name).mkdir()
            (folder / name / "__init__.py").write_text(plant)
    arguments = [STUDIO, "run", table.name, "-o", "a.studio", "--target", "colour", *SHORT]
    yield run_process("planted modules", arguments, folder)[0]


def _read(path: Path, octets: bytes, rng: Random) -> Iterator[Verdict]:
    path.write_bytes(octets)
    description = f"{len(octets)} bytes as {path.name}"
    yield run_inline(description, "run", path, "-o", path.with_name("a.studio"), *QUICK)[0]


def _put(connection: sqlite3.Connection, table: str, column: str, octets: bytes) -> None:
    with contextlib.suppress(sqlite3.Error):  # the schema may reject it
        connection.execute(f"UPDATE {table} SET {column} = ?", (octets,))


def _torn(octets: bytes, rng: random.Random) -> bytes:
    return octets[: int(len(octets) * rng.random())] if rng.random() < 0.2 else octets


def _zipped(octets: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("t.csv", octets)
    return buffer.getvalue()


CASES: tuple[Case, ...] = (
    _hostile_zip,
    _inconsistent_zip,
    _packed_twice,
    _pickle_as_model,
    _pickle_in_a_document,
    _hostile_zip,
    _inconsistent_zip,
    _planted_modules,
)
