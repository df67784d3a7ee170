"""Documents in which one value is another, with right checksums: as only an enemy makes them."""

import contextlib
import copy
import io
import random
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from studio.cli.entry import main as command
from studio.document import sealing
from studio.document.store import Document
from studio.runs.engine import Engine
from studio.runs.inline import InlinePool
from studio.runs.settings import RunSettings, Source

STRANGE: tuple[object, ...] = (
    None, True, -1, 0, 2**62, 0.5, 1e308, "", "\x1b[2J", "no such thing", [], [1], [[]], {},
    {"more": 1},
)  # fmt: skip
"""What takes the place of a value."""

RECORDS = (
    ("runs", "body", "SELECT id, id FROM runs", "run {}"),
    ("runs", "status", "SELECT id, id FROM runs", "status {}"),
    ("trials", "body", "SELECT id, run || ' ' || number FROM trials", "trial {}"),
    ("spaces", "body", "SELECT id, id FROM spaces", "space {}"),
    ("data", "body", "SELECT id, id FROM data WHERE body IS NOT NULL", "table {}"),
    ("arrays", "header", "SELECT id, id FROM arrays", "array {}"),
    ("ensembles", "body", "SELECT run, run FROM ensembles", "ensemble {}"),
)
"""Table, column, query of (row, name), label of a record."""


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


def try_documents(folder: Path, cases: int, rng: random.Random) -> Found:
    """Change one value of a document at a time and let every reader read it.

    Parameters
    ----------
    folder : Path
        An empty one.
    cases : int
        How many changed documents.
    rng : random.Random
        Chooses what is changed, and into what.
    """
    whole, found = _document(folder), Found()
    readers = _readers(folder)
    for case in range(cases):
        path = folder / "case.studio"
        shutil.copyfile(whole, path)
        what = _damage(path, rng)
        for name, words in readers.items():
            found.cases += 1
            code, told = _asked([word.replace("DOCUMENT", str(path)) for word in words])
            if "fault of the program" in told or code not in (0, 1, 2):
                last = [line for line in told.splitlines() if line and not line.startswith(" ")]
                found.faults.append(f"case {case}, {what}, {name}: {last[-2:]}")
            elif code:
                found.told += 1
            else:
                found.unharmed += 1
    return found


def _document(folder: Path) -> Path:
    rng = np.random.default_rng(0)
    lines = [f"{a:.3f},{b:.3f},{'yn'[int(a + b > 0)]}" for a, b in rng.normal(size=(80, 2))]
    table = folder / "table.csv"
    table.write_text("\n".join(["a,b,target", *lines]))
    settings = RunSettings(
        method="RS-post", budget=5, workers=1, refit=False, source=Source(path=str(table))
    )
    path = folder / "whole.studio"
    with Document.create(path) as document:
        run = document.add_run("a run", settings.to_json())
        Engine(document, run, lambda progress: None, InlinePool).work()
    return path


def _readers(folder: Path) -> dict[str, Sequence[str]]:
    out = str(folder / "out")
    return {
        "show": ("show", "DOCUMENT", "--json"),
        "report": ("export", "DOCUMENT", "--format", "report", "-o", out),
        "trials": ("export", "DOCUMENT", "--format", "trials", "-o", out),
        "space": ("export", "DOCUMENT", "--format", "space", "-o", out),
        "predict": ("predict", "DOCUMENT", str(folder / "table.csv"), "-o", out),
    }


def _asked(words: Sequence[str]) -> tuple[int, str]:
    told = io.StringIO()
    with contextlib.redirect_stdout(told), contextlib.redirect_stderr(told):
        try:
            code = command(list(words))
        except SystemExit as ended:
            code = int(ended.code or 0)
    return code, told.getvalue()


def _damage(path: Path, rng: random.Random) -> str:
    """Change one value of one record; say which."""
    connection = sqlite3.connect(path)
    try:
        while True:
            table, column, query, label = rng.choice(RECORDS)
            rows = connection.execute(query).fetchall()
            if not rows:
                continue
            row, name = rng.choice(rows)
            key = "run" if table == "ensembles" else "id"
            wanted = f"SELECT {column} FROM {table} WHERE {key} = ?"
            (text,) = connection.execute(wanted, (row,)).fetchone()
            named = label.format(name)
            content = sealing.unseal(text, named)
            places = list(_places(content))
            if not places:
                continue
            where, change = rng.choice(places)
            changed = copy.deepcopy(content)
            change(changed, rng.choice(STRANGE))
            put = f"UPDATE {table} SET {column} = ? WHERE {key} = ?"
            connection.execute(put, (sealing.seal(changed, named), row))
            connection.commit()
            return f"{named} {where}"
    finally:
        connection.close()


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
