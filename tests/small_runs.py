"""Small real runs on a small table."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from studio.document.store import Document
from studio.runs.engine import Engine
from studio.runs.inline import InlinePool
from studio.runs.pool import WorkerPool
from studio.runs.settings import RunSettings, TableSource

ROWS = 90


@pytest.fixture(scope="session")
def small_table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a CSV with numbers, a category, missing cells and two classes."""
    rng = np.random.default_rng(3)
    path = tmp_path_factory.mktemp("tables") / "small.csv"
    lines = ["a,b,colour,target"]
    for _ in range(ROWS):
        a, b = rng.normal(size=2)
        colour = rng.choice(["red", "green", "blue"])
        label = "yes" if a + (colour == "red") + 0.3 * rng.normal() > 0.3 else "no"
        lines.append(f"{a:.4f},{'' if rng.random() < 0.1 else f'{b:.4f}'},{colour},{label}")
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def new_run(tmp_path: Path, small_table: Path) -> Callable[..., tuple[Path, int]]:
    """Return a function that makes a document with one run in it."""

    def make(**changes: Any) -> tuple[Path, int]:
        values: dict[str, Any] = {
            "method": "BO-post",
            "budget": 8,
            "workers": 1,
            "source": TableSource(path=str(small_table)),
            **changes,
        }
        settings = RunSettings(**values)
        path = tmp_path / f"work-{len(list(tmp_path.iterdir()))}.studio"
        with Document.create(path) as document:
            run_id = document.runs.add("test", settings.to_json())
        return path, run_id

    return make


_FINISHED: dict[str, bytes] = {}
"""Documents of finished runs by the runs' settings."""


@pytest.fixture
def finished_run(new_run: Callable[..., tuple[Path, int]]) -> Callable[..., tuple[Path, int]]:
    """Return a function that makes a document with a finished run, computed once per settings.

    Only multiple workers are separate processes; a single one gives the same results, faster.
    """

    def make(**changes: Any) -> tuple[Path, int]:
        path, run_id = new_run(**changes)
        with Document.open(path, writable=False) as document:
            settings = json.dumps(document.runs.get(run_id).settings, sort_keys=True)
        if settings not in _FINISHED:
            with Document.open(path) as document:
                pool = WorkerPool if changes.get("workers", 1) > 1 else InlinePool
                engine = Engine(document, run_id, lambda progress: None, pool)
                assert engine.execute_run() == "finished"
            _FINISHED[settings] = path.read_bytes()
        path.write_bytes(_FINISHED[settings])
        return path, run_id

    return make


def execute_inline(
    path: Path, run_id: int, tell: Callable[[Any], None] = lambda progress: None
) -> str:
    with Document.open(path) as document:
        return Engine(document, run_id, tell, InlinePool).execute_run()


@pytest.fixture
def run_inline() -> Callable[..., str]:
    """Return a function that finishes a run without worker processes."""
    return execute_inline
