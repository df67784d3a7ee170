"""Group 3: size and place: large tables, odd paths, no files, changes while reading, bombs."""

import gzip
import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

from torture.execution import run_inline
from torture.grid import sound_table
from torture.tables import QUICK, check_table
from torture.verdict import Verdict

Case = Callable[[Path, Random], Iterator[Verdict]]

NAMES = (
    "a b.csv", "größe 🦉.csv", "x" * 250 + ".csv", "x" * 300 + ".csv", "-o.csv", "a\nb.csv",
    "a\x1b[2Jb.csv", "%s{0}.csv", "'\".csv", ".csv", "a.studio", "con.csv", "a.csv.gz",
    "\udcff.csv", "مرحبا.csv", "\u202ea.csv", "table", "a\\b.csv", " .csv",
    "d/" * 60 + "t.csv", "a;b|c&d$(e).csv",
)  # fmt: skip
LARGE = ((100_000, 4), (1_000_000, 2), (60, 3_000), (200, 10_000), (3, 20_000), (20_000, 50))


def attempt(folder: Path, rng: Random, number: int) -> Iterator[Verdict]:
    """Try one unusual path or size; large tables are tried once each."""
    if number < len(LARGE):
        yield from _large(folder, rng, *LARGE[number])
    else:
        yield from CASES[number % len(CASES)](folder, rng)


def _large(folder: Path, rng: Random, rows: int, columns: int) -> Iterator[Verdict]:
    grid = sound_table(rng, rows=min(rows, 60))
    grid.header = [*(f"x{each}" for each in range(columns)), "target"]
    cells = [f"{rng.random():.3f}" for _ in range(997)]
    grid.rows = [
        [*(cells[(row * 31 + each * 7) % 997] for each in range(columns)), "yn"[row % 2]]
        for row in range(rows)
    ]
    grid.done, grid.target = [f"{rows} rows of {columns} columns"], columns
    grid.options += ["--cap", "1000"]
    yield from check_table(grid, grid.write(folder), folder)


def _odd_name(folder: Path, rng: Random) -> Iterator[Verdict]:
    grid = sound_table(rng)
    name = rng.choice(NAMES)
    grid.done = [f"the name {name[:30]!r}"]
    path, table = folder / name, grid.write(folder)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        table.rename(path)
    except OSError:  # the system does not allow the name, so the missing file is tested
        pass
    yield from check_table(grid, path, folder)


def _odd_document(folder: Path, rng: Random) -> Iterator[Verdict]:
    table = sound_table(rng).write(folder)
    name = rng.choice((*NAMES, "none/there.studio", "table.csv", ".", "", "/dev/null", "/dev/full"))
    yield run_inline(f"the document {name[:30]!r}", "run", table, "-o", folder / name, *QUICK)[0]
    if table.read_bytes()[:6] == b"SQLite":
        yield Verdict("fault", "a table was named as document", "it was overwritten")


def _odd_output(folder: Path, rng: Random) -> Iterator[Verdict]:
    table, document = sound_table(rng).write(folder), folder / "a.studio"
    before = table.read_bytes()
    yield run_inline("a run", "run", table, "-o", document, *QUICK)[0]
    kept = document.read_bytes()
    for name in rng.sample((*NAMES, "none/there.csv", ".", "a.studio", "/dev/full"), 3):
        for arguments in (("predict", document, table), ("export", document, "--format", "report")):
            yield run_inline(f"{arguments[0]} into {name[:30]!r}", *arguments, "-o", folder / name)[
                0
            ]
    if table.read_bytes() != before:
        yield Verdict("fault", "odd outputs", "the table was overwritten")
    if not document.read_bytes().startswith(kept[:16]):
        yield Verdict("fault", "odd outputs", "the document was overwritten")


def _special_file(folder: Path, rng: Random) -> Iterator[Verdict]:
    kind, path = rng.choice(("pipe", "folder", "loop", "nowhere", "gone")), folder / "table.csv"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "loop":
        path.symlink_to(path)
    elif kind == "nowhere":
        path.symlink_to(folder / "none")
    places = [
        path,
        Path("/dev/null"),
        Path("/dev/zero"),
        Path("/proc/self/mem"),
        Path("/proc/stat"),
    ]
    table = rng.choice([path, *places])
    yield run_inline(f"{kind} {table.name}", "run", table, "-o", folder / "a.studio", *QUICK)[0]


def _changed_while_reading(folder: Path, rng: Random) -> Iterator[Verdict]:
    grid = sound_table(rng, rows=3000)
    table, until, over = grid.write(folder), time.monotonic() + 20, threading.Event()
    how = rng.choice((_append, _truncate, _remove, _replace))
    seed = rng.random()

    def change() -> None:
        draw = Random(seed)
        while not over.is_set() and time.monotonic() < until:
            how(table, draw)
            time.sleep(draw.random() / 100)

    thread = threading.Thread(target=change)
    thread.start()
    try:
        for turn in range(5):
            document = folder / f"{turn}.studio"
            what = f"{how.__name__.strip('_')} while it is read"
            yield run_inline(what, "run", table, "-o", document, *QUICK)[0]
    finally:
        over.set()
        thread.join()


def _append(table: Path, draw: Random) -> None:
    with table.open("a") as file:
        file.write("1,2,red,2020-01-01,1\n")


def _truncate(table: Path, draw: Random) -> None:
    os.truncate(table, int(table.stat().st_size * (0.5 + draw.random())))


def _remove(table: Path, draw: Random) -> None:
    aside = table.with_suffix(".aside")
    (table if table.exists() else aside).rename(aside if table.exists() else table)


def _replace(table: Path, draw: Random) -> None:
    other = table.with_suffix(".new")
    other.write_bytes(draw.randbytes(1000))
    other.replace(table)


def _removed_after_training(folder: Path, rng: Random) -> Iterator[Verdict]:
    table, document = sound_table(rng).write(folder), folder / "a.studio"
    verdict, _ = run_inline("a run", "run", table, "-o", document, *QUICK)
    yield verdict
    table.unlink()
    for arguments in (("show", document), ("resume", document, "--budget", "3", "--quiet")):
        verdict, printed = run_inline(f"{arguments[0]} without the table", *arguments)
        if verdict.kind == "reported":
            verdict = Verdict(
                "fault", verdict.what, f"what the document holds was missed: {printed}"
            )
        yield verdict


def _decompression_bomb(folder: Path, rng: Random) -> Iterator[Verdict]:
    part, size = rng.choice((b"0", b",", b'"', b"\n", b"a,b\n1,2\n", b"\0", b"\xff")), 80 * 2**20
    path = folder / "bomb.csv.gz"
    with gzip.open(path, "wb", compresslevel=1) as file:
        for _ in range(80):
            file.write(part * (size // 80 // len(part)))
    yield run_inline(f"80 MB of {part!r}", "run", path, "-o", folder / "a.studio", *QUICK)[0]


CASES: tuple[Case, ...] = (
    _odd_name,
    _odd_document,
    _odd_output,
    _special_file,
    _changed_while_reading,
    _removed_after_training,
    _odd_name,
    _decompression_bomb,
)
