"""Runs with a second file as test set: errors and weights agree with scikit-learn."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from studio.analysis.headline_text import describe_caveats
from studio.data.intervals.loss import compute_loss_interval
from studio.data.metrics.registry import REGISTRY, get_metric
from studio.data.splits import split_plan
from studio.document.store import Document
from studio.export.estimator import train
from studio.export.frame import choose_check_rows
from studio.export.verified import predict_test_rows
from studio.runs.prepare import prepare
from studio.runs.settings import TableSource
from tests.data.metrics.test_weighting import REFERENCES

pytestmark = pytest.mark.slow

Make = Callable[..., tuple[Path, int]]
Files = Callable[..., TableSource]

WEIGHTS = np.array([0.0, 0.25, 1.0, 4.0])


@pytest.fixture
def files(tmp_path: Path) -> Files:
    """Return a function that writes a table and a test file with weights, groups or times."""

    def write(task: str, role: str, first: list[Any], second: list[Any]) -> TableSource:
        rng = np.random.default_rng(2)
        names = []
        for name, others in (("table", first), ("test", second)):
            lines = ["a,b,y,x"]
            for other in others:
                a, b = rng.normal(size=2).round(3)
                y: Any = a + rng.normal()
                y = round(np.exp(y) + 0.1, 2) if task == "regression" else y > 0
                lines.append(f"{a},{b},{y},{other}")
            path = tmp_path / f"{name}.csv"
            path.write_text("\n".join(lines) + "\n")
            names.append(str(path))
        return TableSource(names[0], names[1], target="y", task=task, roles={"x": role})

    return write


@pytest.mark.parametrize("metric", [each.key for each in REGISTRY])
@pytest.mark.parametrize("refit", [False, True])
def test_test_error_with_second_file_weights_equals_sklearn(
    finished_run: Make, files: Files, metric: str, refit: bool
) -> None:
    task = (
        "regression"
        if "regression" in next(m for m in REGISTRY if m.key == metric).tasks
        else ("binary")
    )
    learned, weights = np.split(np.random.default_rng(8).choice(WEIGHTS, 150), [90])
    source = files(task, "weight", learned.tolist(), weights.tolist())
    path, run_id = finished_run(
        source=source, method="RS", budget=2, metric=metric, refit=refit, seed=1
    )
    with Document.open(path) as document:
        result = document.runs.get(run_id).result
        prepared_run = prepare(document, run_id)
        truth = prepared_run.problem.y[prepared_run.split.test]
        predictions = document.trials.read_predictions(run_id, result.single.trial, "test")
        iteration = document.trials.list_iterations(run_id)[-1]
        if refit:
            [model] = train(document, run_id).member_estimators
            X = prepared_run.problem.X[prepared_run.split.test]
            predictions = model.predict_proba(X) if task == "binary" else model.predict(X)
    predictions = predictions.astype(np.float64)
    if task == "binary":  # kept in half precision
        predictions /= predictions.sum(axis=1, keepdims=True)
    judge = REFERENCES[metric]
    expected = judge(truth, predictions, weights)
    assert result.test_error_single == pytest.approx(expected, rel=1e-3)
    assert result.test_error_ensemble == pytest.approx(expected, rel=1e-3)
    assert expected != pytest.approx(judge(truth, predictions, None), rel=1e-4), (
        "weights make a difference"
    )
    if not refit:
        assert iteration.single_test == pytest.approx(expected, rel=1e-3)
    interval = compute_loss_interval(get_metric(metric, task), truth, predictions, weights)
    assert result.test_interval == (interval and pytest.approx(interval, rel=1e-3))


def test_intervals_resample_groups_and_times_of_second_file(
    finished_run: Make, files: Files
) -> None:
    groups = np.arange(90) // 6
    source = files("binary", "group", groups.tolist(), (np.arange(60) // 3 + 10).tolist())
    path, run_id = finished_run(source=source, method="RS", budget=1)
    with Document.open(path, writable=False) as document:
        prepared_run = prepare(document, run_id)
        result = document.runs.get(run_id).result
        messages = [each.text for each in document.journal.list_messages(run_id)]
    assert len(np.unique(prepared_run.get_units(prepared_run.split.test))) == 20
    # 5 of the 15 groups are in both files: 15 of the 60 rows.
    [note] = result.notes
    assert note.values == {"n_shared": 15, "n_rows": 60, "count": 5}
    assert prepared_run.test_notes == (note,)
    assert result.test_notes == (note,)
    assert note in messages
    # It is shown once, beside the test error in the headline.
    assert note in describe_caveats(result.headline, result=result)
    process = subprocess.run(
        [sys.executable, "-m", "studio", "show", str(path)],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert process.stdout.count(note) == 1
    assert process.stdout.index(note) < process.stdout.index("trials ")
    times = [f"2024-01-{1 + day // 4:02}" for day in range(90)]
    later = [f"2024-01-{20 + day // 6:02}" for day in range(60)]
    path, run_id = finished_run(source=files("binary", "time", times, later), method="RS", budget=1)
    with Document.open(path, writable=False) as document:
        prepared_run = prepare(document, run_id)
        result = document.runs.get(run_id).result
    assert len(np.unique(prepared_run.get_units(prepared_run.split.test))) > 5
    [note] = result.notes
    assert note.values == {"count": 18, "n_rows": 60}


def test_export_check_uses_rows_of_table(finished_run: Make, files: Files) -> None:
    source = files("binary", "weight", [1.0] * 90, [2.0] * 40)
    path, run_id = finished_run(source=source, method="RS", budget=1)
    with Document.open(path) as document:
        trained = train(document, run_id)
        assert predict_test_rows(trained) is None, "it lacks the rows of the second file"
        assert sorted(choose_check_rows(trained).tolist()) == list(range(90))


def test_duplicates_are_reported_and_not_split(finished_run: Make, tmp_path: Path) -> None:
    points = np.random.default_rng(8).normal(size=(30, 2))
    rows = [f"{a:.4f},{b:.4f},{int(a > 0)}" for a, b in points]
    table = tmp_path / "copied.csv"
    table.write_text("\n".join(["a,b,y", *rows, *rows, *rows]) + "\n")
    path, run_id = finished_run(source=TableSource(str(table)), method="RS", budget=1)
    with Document.open(path, writable=False) as document:
        prepared_run = prepare(document, run_id)
        stored = document.runs.split(run_id)
    [note] = [each for each in prepared_run.notes if "copies" in each]
    assert note.values["counted"].values == {"copies": 60, "n_rows": 90}
    assert not {*stored["test"] % 30} & {*stored["train"] % 30, *stored["validation"] % 30}
    assert not {*stored["train"] % 30} & {*stored["validation"] % 30}
    assert prepared_run.test_notes == ()
    path, run_id = finished_run(
        source=TableSource(str(table)), method="RS", budget=1, plan=split_plan("DivBO")
    )
    with Document.open(path, writable=False) as document:
        [note] = document.runs.get(run_id).result.notes
    assert note.values["counted"].values == {"copies": 60, "n_rows": 90}
