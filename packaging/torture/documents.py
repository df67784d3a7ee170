"""Group 10: damaged and hostile documents, and all of their readers.

A document holds two runs, each on a separate table. Of the second run (or of what both share) a
value, a column, a row or some bytes are damaged, or the file itself is. Every reader must end with
a message or continue, and nothing may differ silently; and if only the second run is damaged, the
first one can be shown and used for predictions as before.
"""

import contextlib
import random
import re
import shutil
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

from studio.document.store import Document
from studio.runs.engine import Engine
from studio.runs.inline import InlinePool
from studio.runs.settings import RunSettings, TableSource
from studio.space.library import get_default
from torture.document_files import file_damage
from torture.document_records import RECORD_DAMAGES
from torture.execution import run_helper_task, run_inline
from torture.grid import sound_table
from torture.verdict import Try, Verdict

DAMAGES_EACH = 20
"""Number of cases that share a document."""

METHODS = ("RS-post", "RS", "EO-post")
DAMAGES = (*RECORD_DAMAGES, file_damage, file_damage)


@dataclass(frozen=True)
class _SoundDocument:
    """A sound document.

    Attributes:
        path, table: Its path, and the table of its runs.
        arrays: The last array of the first run.
        made: The output of every reader about its second run.
    """

    path: Path
    table: Path
    arrays: int
    made: Mapping[str, str]


def documents(folder: Path) -> Try:
    """Return the cases with damaged copies of documents for every reader."""
    return partial(_attempt, cache(partial(_document, folder)))


def _attempt(
    whole_of: "partial[_SoundDocument]", folder: Path, rng: random.Random, number: int
) -> Iterator[Verdict]:
    whole, path = whole_of(number // DAMAGES_EACH), folder / "case.studio"
    shutil.copyfile(whole.path, path)
    damaged = rng.choice(DAMAGES)(path, rng, whole.arrays)
    for name, arguments in _readers(path, whole.table, 2).items():
        verdict, printed, made = _ask_reader(f"{damaged.what}: {name}", arguments, folder)
        silent = verdict.kind == "unharmed" and not (damaged.forged or "damaged" in printed)
        if silent and made != whole.made[name]:
            verdict = Verdict("fault", verdict.what, "it is silently different")
        yield verdict
    if damaged.second:
        for name, arguments in _readers(path, whole.table, 1).items():
            verdict, printed, _ = _ask_reader(
                f"{damaged.what}: {name} of the other run", arguments, folder
            )
            if verdict.kind == "reported":
                verdict = Verdict("fault", verdict.what, f"it was refused: {printed[-300:]}")
            yield verdict
    of_run = {"path": str(path), "run_id": 2, "iteration": 5}
    fitting = {"document": str(path), "run": 2, "path": str(whole.table)}
    for task, given in (("check_table", fitting), ("contributions", of_run), ("diversity", of_run)):
        yield run_helper_task(f"{damaged.what}: {task}", task, **given)[0]


def _readers(document: Path, table: Path, run: int) -> dict[str, Sequence[object]]:
    this = ("--run", run)
    return {
        "show": ("show", document, "--json", *this),
        "report": ("export", document, "--format", "report", *this),
        "trials": ("export", document, "--format", "trials", *this),
        "space": ("export", document, "--format", "space", *this),
        "predict": ("predict", document, table, *this),
    }


def _ask_reader(what: str, arguments: Sequence[object], folder: Path) -> tuple[Verdict, str, str]:
    """Run a reader; return verdict, messages and output."""
    out = folder / "out"
    out.unlink(missing_ok=True)
    given = arguments if arguments[0] == "show" else (*arguments, "-o", out)
    verdict, printed = run_inline(what, *given)
    made = out.read_text() if out.exists() else printed
    # The size of the file is not part of the result.
    return verdict, printed, re.sub(r'"document_bytes": \d+', "", made)


def _document(folder: Path, number: int) -> _SoundDocument:
    """Make a sound document, with a table and a method that depend on the number."""
    rng = random.Random(f"document {number}")
    place = folder / str(number)
    place.mkdir()
    grid = sound_table(rng)
    path, table = place / "case.studio", grid.write(place)
    settings = RunSettings(
        method=METHODS[number % len(METHODS)],
        budget=5,
        workers=1,
        refit=False,
        source=TableSource(path=str(table)),
    )
    with Document.create(path) as document:
        document.notes.set("window.data", {"table": 1})
        document.spaces.save("main", get_default("binary").to_json())
        for run in (1, 2):
            document.runs.add(f"run {run}", settings.to_json())
            if run == 2:
                arrays = _newest_array(path)
            Engine(document, run, lambda progress: None, InlinePool).execute_run()
    readers = _readers(path, table, 2).items()
    made: dict[str, Any] = {
        name: _ask_reader(name, arguments, place)[2] for name, arguments in readers
    }
    return _SoundDocument(path, table, arrays, made)


def _newest_array(path: Path) -> int:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        ((newest,),) = connection.execute("SELECT max(id) FROM arrays").fetchall()
    return int(newest)
