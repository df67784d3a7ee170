"""Common steps of hostile tables: run, predict, report."""

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

from studio.document.store import Document
from torture.execution import run_helper_task, run_inline
from torture.grid import Damage, Grid, sound_table
from torture.verdict import Try, Verdict, check_expected

QUICK = ("--method", "RS", "--budget", "2", "--quiet", "--workers", "1")


def hostile_tables(damages: Sequence[Damage]) -> Try:
    """Return the cases with one to three mutations of a valid table."""

    def attempt(folder: Path, rng: Random, number: int) -> Iterator[Verdict]:
        grid = sound_table(rng)
        # The damages take turns as the first one, so that none depends on chance.
        chosen = [damages[number % len(damages)], *rng.sample(damages, rng.choice((0, 0, 1, 1, 2)))]
        grid.damaged(chosen, rng)
        yield from check_table(grid, grid.write(folder), folder)

    return attempt


def check_table(grid: Grid, table: Path, folder: Path) -> Iterator[Verdict]:
    """Check a table, run on it, predict and report; yield one verdict."""
    what, document = ", ".join(grid.done), folder / "case.studio"
    looked, seen = run_helper_task(f"{what}: preview", "preview", table={"path": str(table)})
    if looked.kind == "fault":
        yield looked
    verdict, printed = run_inline(what, "run", table, "-o", document, *QUICK, *grid.options)
    if verdict.kind != "unharmed":
        yield verdict
        return
    wrong = list(_wrong(grid, table, document, folder, what))
    if seen and not grid.options:
        wrong += check_expected(f"{what}: rows seen", seen["n_rows"], _rows(document))
    yield wrong[0] if wrong else Verdict("reported" if "note:" in printed else "unharmed", what)


def _wrong(grid: Grid, table: Path, document: Path, folder: Path, what: str) -> Iterator[Verdict]:
    """Yield the faults of a finished run."""
    rows = _rows(document)
    if grid.exact:
        yield from check_expected(f"{what}: rows read", rows, len(grid.rows))
    # A document that was trained must support all of these commands.
    for arguments, name in (
        (("predict", document, table), "out.csv"),
        (("export", document, "--format", "report"), "out.html"),
        (("export", document, "--format", "trials"), "out.csv"),
    ):
        out = folder / name
        verdict, printed = run_inline(f"{what}: {arguments[0]}", *arguments, "-o", out)
        if verdict.kind != "unharmed":
            yield Verdict("fault", verdict.what, verdict.why or f"it was refused: {printed[-300:]}")
        elif arguments[0] == "predict":
            yield from check_expected(f"{what}: rows predicted", _count(out), rows)


def _rows(document: Path) -> int:
    with Document.open(document, writable=False) as opened:
        (row,) = opened.tables.list_all()
        return int(opened.tables.read(row.id)[0]["n_rows"])


def _count(path: Path) -> int:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return sum(1 for _ in csv.reader(file)) - 1
