"""Group 9, first half: ``kill -9`` of engine, worker and window at any instant."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from studio.document.store import Document
from studio.runs.engine import Engine
from studio.runs.settings import RunSettings, TableSource
from torture.grid import sound_table
from torture.test_modules import import_test_module
from torture.verdict import Try, Verdict

KILLS = 6
"""Number of kills of a case's run, each followed by its continuation."""


def kills(folder: Path) -> Try:
    """Finish a run undisturbed; return the cases with kills."""
    killing = import_test_module("runs", "killing")
    table = sound_table(Random(3), rows=80).write(folder)
    path, run_id = _new_run(folder / "whole.studio", table)
    with Document.open(path) as document:
        Engine(document, run_id, lambda progress: None).execute_run()
    return partial(_attempt, killing, (table, killing.recorded(path, run_id)))


def _attempt(
    killing: Any, sound: tuple[Path, list[object]], folder: Path, rng: Random, number: int
) -> Iterator[Verdict]:
    table, whole = sound
    path, run_id = _new_run(folder / "case.studio", table)
    counts = {"engine": 0, "worker": 0, "window": 0}
    sessions = killing.run_with_kills(path, run_id, KILLS, rng, counts)
    for victim, count in counts.items():
        for _ in range(count):
            yield Verdict("unharmed", f"a killed {victim}")
    for so_far in sessions:
        if so_far != whole[: len(so_far)]:
            yield Verdict("fault", f"kills {counts}", "it went on otherwise than uninterrupted")
    if sessions[-1] != whole:
        yield Verdict("fault", f"kills {counts}", "it ended otherwise than uninterrupted")


def _new_run(path: Path, table: Path) -> tuple[Path, int]:
    settings = RunSettings(
        method="EO-post", budget=40, seed=11, workers=1, source=TableSource(path=str(table))
    )
    with Document.create(path) as document:
        return path, document.runs.add("a run", settings.to_json())
