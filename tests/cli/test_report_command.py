"""The command of a report, executed in a fresh process, repeats the run bit-identically."""

import dataclasses
import html
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from studio.cli.entry import main
from studio.data.split_plan import SplitPlan
from studio.document.store import Document
from studio.helper import runs as helper_runs
from studio.helper.table_spec import TableSpec
from studio.runs.engine import Engine
from studio.runs.inline import InlinePool
from studio.runs.settings import RunSettings, TableSource
from studio.space.library import load

pytestmark = pytest.mark.slow


def _lines(rows: int, seed: int) -> list[str]:
    """Return rows with groups, weights, times, a quoted text, odd values and three targets."""
    rng = np.random.default_rng(seed)
    lines = []
    for row in range(rows):
        group, x, y = rng.integers(0, 40), rng.normal(), rng.normal()
        city = rng.choice(["north, east", "south", "SOUTH", "unknown"])
        label = rng.choice(["leave", "stay", "upgrade"]) if rng.random() < 0.3 else (
            "stay" if x + y > 0.4 else "leave" if x < 0 else "upgrade"
        )  # fmt: skip
        lines.append(
            f"{group},{0.5 + rng.random():.3f},2024-{1 + row % 12:02d}-{1 + row % 28:02d},"
            f"'{city}',{x:.4f},{-999 if row % 17 == 0 else f'{y:.4f}'},{rng.integers(1, 4)},"
            f"{rng.normal():.3f},{abs(3 * x + rng.normal()):.4f},{label}"
        )
    return lines


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a table and a test file."""
    head = "group,weight,when,place,x,y,code,noise,number,outcome"
    tables = (("people & more.csv", 150, 1), ("later.csv", 60, 2))
    for name, rows, seed in tables:
        (tmp_path / name).write_text("\n".join([head, *_lines(rows, seed)]) + "\n")
    return tmp_path


def make_custom_space() -> dict[str, Any]:
    """Return a custom space."""
    space: dict[str, Any] = json.loads(json.dumps(load("forest-smbeo").to_json()))
    share = next(each for each in space["parameters"] if each["name"] == "max_features")
    share["low"] = 0.2
    return space


READ = {"quote": "'"}
CASES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "the window's seed of the split": (
        {"roles": {"group": "group", "weight": "weight", "number": "ignore"}, "test_path": "later"},
        {
            "method": "DivBO",
            "seed": 20,
            "seconds": 600.0,
            "budget": 7,
            "space": make_custom_space(),
            "metric": "error",
        },
    ),
    "copies apart": (
        {"kinds": {"code": "category"}, "roles": {"when": "time", "number": "ignore"}},
        {
            "method": "EO-sqm",
            "plan": SplitPlan(0.5, 0.3, 0.2, seed=7, equal_rows="apart"),
            "class_weights": "balanced",
            "refit": False,
            "overrides": {"proposer.slots": 4},
            "trial_seconds": 61.5,
        },
    ),
    "decided findings": (
        {
            "reading": {**READ, "missing": ["unknown"], "columns": {"y": "missing:-999"}},
            "treatments": {"x": "limit -1.5..1.5", "place": "merge alike"},
            "roles": {"noise": "ignore", "group": "ignore", "number": "ignore"},
        },
        {"method": "RS-post", "seed": 3, "plan": SplitPlan(folds=3, seed=3, cap=60)},
    ),
    "amounts, by the program's split": (
        {
            "target": "number",
            "roles": {"outcome": "ignore"},
            "monotone": {"x": "up"},
            "reading": READ,
        },
        {"method": "best", "advised": True, "refit": False, "budget": 4, "seed": 1},
    ),
}


def start_run(folder: Path, source: TableSource, settings: RunSettings) -> tuple[Path, int]:
    """Work on a run created as by the window, with its table already in the document."""
    path = folder / "first.studio"
    Document.create(path).close()
    table = TableSpec(
        Path(source.path),
        source.reading,
        source.kinds,
        source.roles,
        source.treatments,
        source.monotone,
        source.target,
    )
    table_id = helper_runs.import_table(table, path)
    run_id = helper_runs.create_run(path, table_id, settings.to_json())
    with Document.open(path) as document:
        Engine(document, run_id, lambda progress: None, InlinePool).execute_run()
    return path, run_id


def extract_commands(report: str) -> list[list[str]]:
    """Return the commands of a report, as a reader copies them."""
    section = report[report.index("Reproduce it") :]
    matches = re.findall(r"<code>(studio export.*?)</code>|<pre>(.*?)</pre>", section, re.DOTALL)
    return [shlex.split(html.unescape("".join(each))) for each in matches]


def outcome(path: Path, run_id: int) -> list[Any]:
    """Return all results of a run except times and names."""
    with Document.open(path, writable=False) as document:
        split = document.runs.split(run_id) or {}
        rows = {name: np.asarray(each).tolist() for name, each in sorted(split.items())}
        trials = [
            (each.trial.configuration, each.trial.seed, each.trial.loss, each.trial.status)
            for each in document.trials.list_rows(run_id)
        ]
        steps = [
            (each.members, each.ensemble_validation, each.ensemble_test, each.single_test)
            for each in document.trials.list_iterations(run_id)
        ]
        result = document.runs.get(run_id).result
        assert result is not None
        losses = (result.test_error_ensemble, result.test_error_single, result.test_interval)
    return [rows, trials, steps, losses]


@pytest.mark.parametrize("case", CASES)
def test_report_command_reproduces_run(folder: Path, case: str) -> None:
    how, changes = CASES[case]
    how = {"target": "outcome", "reading": READ, **how}
    if how.get("test_path"):
        how["test_path"] = str(folder / "later.csv")
    source = TableSource(path=str(folder / "people & more.csv"), **how)
    settings = RunSettings(**{"budget": 5, "workers": 1, "source": source, **changes})
    path, run_id = start_run(folder, source, settings)
    report = folder / "report.html"
    assert main(["export", str(path), "--format", "report", "-o", str(report)]) == 0
    commands = extract_commands(report.read_text(encoding="utf-8"))
    for argv in commands:
        assert argv[0] == "studio"
        arguments = [path.name if each == "FILE.studio" else each for each in argv[1:]]
        process = subprocess.run(
            [sys.executable, "-m", "studio", *arguments],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        assert process.returncode == 0, process.stderr
    assert outcome(folder / "again.studio", 1) == outcome(path, run_id)
    with (
        Document.open(path, writable=False) as first,
        Document.open(folder / "again.studio", writable=False) as repeated_document,
    ):
        original_settings = RunSettings.from_row(first.runs.get(run_id))
        repeated = RunSettings.from_row(repeated_document.runs.get(1))
    shares = {"train": 0.5, "validation": 0.3, "test": 0.2}
    plans = [dataclasses.replace(each.plan, **shares) for each in (repeated, original_settings)]
    assert plans[0] == plans[1]
    assert np.allclose(repeated.plan.shares, original_settings.plan.shares, atol=1e-12)
