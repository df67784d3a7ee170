"""Finished runs for exports, created once."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from studio.document.store import Document
from studio.runs.engine import Engine
from studio.runs.inline import InlinePool
from studio.runs.settings import RunSettings, TableSource


def execute_run(path: Path, settings: RunSettings, name: str = "test") -> tuple[Path, int]:
    """Execute a run in a new document; return both."""
    with Document.create(path) as document:
        run_id = document.runs.add(name, settings.to_json())
        Engine(document, run_id, lambda progress: None, InlinePool).execute_run()
    return path, run_id


def make_finished_run(path: Path, table: Path, **changes: Any) -> tuple[Path, int]:
    values = {"method": "EO-sqm", "budget": 10, "workers": 1} | changes
    return execute_run(path, RunSettings(**{"source": TableSource(path=str(table)), **values}))


@pytest.fixture(scope="session")
def mixed_type_table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a CSV with all kinds of columns typed differently by pandas."""
    rng = np.random.default_rng(5)
    path = tmp_path_factory.mktemp("tables") / "hard.csv"
    lines = ["amount;code;flag;word;mixed;count;size;size;outcome"]
    for row in range(160):
        amount = f"{rng.normal(2000, 900):,.2f}".translate(str.maketrans(",.", ".,"))
        code = rng.choice(["01", "02", "10", ""])
        flag = rng.choice(["TRUE", "false"])
        word = rng.choice(["red ", " red", "blue", "NA", "grün"])
        mixed = rng.choice(["1", "2", "a", "true", "?"])
        count = rng.integers(0, 9) if row % 7 else ""
        outcome = "good" if (code == "01") + (word.strip() == "red") + rng.random() > 1.2 else "bad"
        lines.append(
            f"{amount};{code};{flag};{word};{mixed};{count};{row % 5};{row % 3},5;{outcome}"
        )
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def classification_run(
    mixed_type_table: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, int]:
    kinds = {"code": "category", "mixed": "category", "flag": "category"}
    source = TableSource(path=str(mixed_type_table), kinds=kinds)  # type: ignore[arg-type]
    return make_finished_run(
        tmp_path_factory.mktemp("runs") / "c.studio", mixed_type_table, source=source
    )


@pytest.fixture(scope="session")
def regression_run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int, Path]:
    rng = np.random.default_rng(6)
    table = tmp_path_factory.mktemp("tables") / "numbers.csv"
    lines = ["x,y,kind,value"]
    for _ in range(150):
        x, y = rng.normal(size=2)
        kind = rng.choice(["p", "q"])
        lines.append(f"{x:.5f},{y:.5f},{kind},{x + 2 * (kind == 'q') + rng.normal(0, 0.2):.5f}")
    table.write_text("\n".join(lines) + "\n")
    path, run_id = make_finished_run(
        tmp_path_factory.mktemp("runs") / "r.studio", table, method="EO-mse", budget=8
    )
    return path, run_id, table
