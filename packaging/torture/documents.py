"""Group 10: damaged and hostile documents, and everything that reads them."""

import random
import shutil
from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path

from studio.document.store import Document
from studio.runs.engine import Engine
from studio.runs.inline import InlinePool
from studio.runs.settings import RunSettings, Source
from torture.asking import asked, helped
from torture.document_files import DAMAGES
from torture.document_values import change_a_value
from torture.grid import sound_table
from torture.verdict import Try, Verdict

DAMAGES_EACH = 20
"""So many cases are of one document; then comes another."""

METHODS = ("RS-post", "RS", "EO-post")


def documents(folder: Path) -> Try:
    """Return what makes documents, damages copies of them, and lets every reader read these."""
    return partial(_attempt, cache(partial(_document, folder)))


def _attempt(
    whole_of: "partial[Path]", folder: Path, rng: random.Random, number: int
) -> Iterator[Verdict]:
    whole, path = whole_of(number // DAMAGES_EACH), folder / "case.studio"
    shutil.copyfile(whole, path)
    # Every second one is changed where only an enemy can, checksums made right again.
    damage = change_a_value if number % 2 else rng.choice(DAMAGES)
    what = damage(path, rng)
    table, out = whole.with_suffix(".csv"), folder / "out"
    for words in (
        ("show", path, "--json"),
        ("export", path, "--format", "report", "-o", out),
        ("export", path, "--format", "trials", "-o", out),
        ("export", path, "--format", "space", "-o", out),
        ("predict", path, table, "-o", out),
    ):
        yield asked(f"{what}: {words[0]} {words[3] if words[0] == 'export' else ''}", *words)[0]
    given = {"document": str(path), "run": 1, "iteration": 5, "path": str(table)}
    for task in ("check_table", "contributions", "diversity"):
        yield helped(f"{what}: {task}", task, **given)[0]


def _document(folder: Path, number: int) -> Path:
    """Make a sound document; each number has another table and method."""
    rng = random.Random(f"document {number}")
    place = folder / str(number)
    place.mkdir()
    table = sound_table(rng).write(place).rename(place / "whole.csv")
    settings = RunSettings(
        method=METHODS[number % len(METHODS)],
        budget=5,
        workers=1,
        refit=False,
        source=Source(path=str(table)),
    )
    path = place / "whole.studio"
    with Document.create(path) as document:
        run = document.add_run("a run", settings.to_json())
        Engine(document, run, lambda progress: None, InlinePool).work()
    return path
