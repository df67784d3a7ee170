"""Every format of the registry, for two classes, several classes and numbers."""

import csv
import importlib
import json
import pickle
import subprocess
import sys
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from studio.data.numbers import NumberFormat
from studio.data.splits import SplitPlan
from studio.document.store import Document
from studio.errors import ExportError, UsageError
from studio.export.bundle import make_test_comment
from studio.export.estimator import TrainedEnsemble, train
from studio.export.formats.base import ExportFormat, ExportJob, ExportResult
from studio.export.formats.registry import REGISTRY, get_format
from studio.export.members import predict_shares
from studio.export.preprocessing import MISSING_COLUMNS_WARNING
from studio.export.progress import CHECKING
from studio.runs.final_models import StoppedError
from studio.runs.inline import InlinePool
from studio.runs.settings import RunSettings, TableSource
from studio.space.library import load
from studio.space.space import Space
from tests.export.conftest import execute_run
from tests.recording_reporter import RecordingReporter

MODELS = ("pickle", "skops")


@pytest.fixture(scope="session")
def several(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    """Return a run for three classes with hostile names."""
    rng = np.random.default_rng(1)
    folder = tmp_path_factory.mktemp("several")
    names = ["=HYPERLINK(1)", "<script>alert(1)</script>", '"; import os #']
    path = folder / 'it\'s "quoted".csv'
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(['<script>alert("x")</script>', 'a"""b\\', "=1+1", "{kind}", "class"])
        for row in range(150):
            kind = row % 3
            x = rng.normal(size=2) + np.array([kind, -kind])
            writer.writerow([f"{x[0]:.4f}", f"{x[1]:.4f}", "", f"'{'pq'[kind % 2]}\"", names[kind]])
    settings = RunSettings(
        method="RS-post",
        budget=8,
        seed=3,
        source=TableSource(path=str(path), target="class"),
        space=load("sklearn-cash").to_json(),
    )
    return execute_run(folder / "m.studio", settings, "<b>run</b>")


@pytest.fixture(scope="session", params=["c", ""], ids=["classes", "numbers"])
def committees(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, int]:
    """Return a run with committees, one class missing in some folds."""
    rng = np.random.default_rng(2)
    folder = tmp_path_factory.mktemp("committees")
    lines = ["x,y,kind,outcome"]
    for row in range(120):
        x, y = rng.normal(size=2)
        score = x + 0.5 * y + 0.3 * rng.normal()
        label = "rare" if row < 1 else "ab"[int(score > 0)]
        outcome = label if request.param else f"{score:.4f}"
        lines.append(f"{x:.5f},{y:.5f},{'pq'[row % 2]},{outcome}")
    (folder / "table.csv").write_text("\n".join(lines) + "\n")
    space = "sklearn-cash" if request.param else "sklearn-cash-regression"
    settings = RunSettings(
        method="RS-post",
        budget=8,
        refit=False,
        plan=SplitPlan(0.6, 0.2, 0.2, folds=3),
        overrides={"ensemble.combination": "mean", "ensemble.size": 6},
        source=TableSource(path=str(folder / "table.csv")),
        space=load(space).to_json(),
    )
    return execute_run(folder / "m.studio", settings)


@pytest.fixture(scope="session")
def calibrated_run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    """Return a run for three classes with a temperature."""
    rng = np.random.default_rng(4)
    folder = tmp_path_factory.mktemp("calibrated")
    lines = ["x,y,outcome"]
    for _ in range(150):
        x, y = rng.normal(size=2)
        lines.append(f"{x:.5f},{y:.5f},{'abc'[int(np.clip(x + 0.6 * rng.normal() + 1, 0, 2))]}")
    (folder / "table.csv").write_text("\n".join(lines) + "\n")
    settings = RunSettings(
        method="RS-post",
        budget=6,
        overrides={"ensemble.combination": "mean", "ensemble.calibrate": True},
        source=TableSource(path=str(folder / "table.csv")),
        space=load("sklearn-cash").to_json(),
    )
    return execute_run(folder / "m.studio", settings)


@pytest.fixture(params=["two", "several", "numbers"])
def run(request: pytest.FixtureRequest) -> tuple[Path, int]:
    name = {"two": "classification_run", "several": "several", "numbers": "regression_run"}[
        request.param
    ]
    path, run_id, *_ = request.getfixturevalue(name)
    return path, run_id


@cache
def train_once(path: Path, run_id: int) -> TrainedEnsemble:
    with Document.open(path, writable=False) as document:
        return train(document, run_id, make_pool=InlinePool)


@pytest.fixture(autouse=True)
def trained_in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        ExportJob, "train", lambda job: train_once(Path(job.document.path), job.run_id)
    )


def write_export(key: str, run: tuple[Path, int], path: Path, **more: Any) -> ExportResult:
    export_format = get_format(key)
    if export_format.missing_dependency:
        pytest.skip(export_format.missing_dependency)
    with Document.open(run[0], writable=False) as document:
        return export_format.export(ExportJob(document, run[1], path, **more))


@pytest.mark.slow
@pytest.mark.parametrize("key", MODELS)
def test_exported_model_predictions_are_verified(
    key: str, run: tuple[Path, int], tmp_path: Path
) -> None:
    recorded = RecordingReporter()
    path = tmp_path / f"model{get_format(key).suffix}"
    export_result = write_export(key, run, path, progress=recorded)
    assert CHECKING in recorded.reports
    assert export_result.rows >= 140
    assert f"0 of {export_result.rows} predictions differ" in export_result.checked
    assert path.stat().st_size > 500
    assert all(each.exists() for each in export_result.companion_files)
    json.dumps(export_result.to_json())
    if key == "skops":
        trusted_types = json.loads(path.with_name(f"{path.name}.json").read_text())["trusted_types"]
        assert not any(name.startswith(("studio", "builtins", "pandas")) for name in trusted_types)
        assert not any(name in note for name in trusted_types for note in export_result.notes), (
            "no types"
        )
        example = next(
            each for each in export_result.companion_files if each.suffix == ".py"
        ).read_text()
        assert all(name in example for name in trusted_types)


@pytest.mark.slow
@pytest.mark.parametrize("key", MODELS)
def test_fold_committees_are_exported(
    key: str, committees: tuple[Path, int], tmp_path: Path
) -> None:
    trained = train_once(*committees)
    export_result = write_export(key, committees, tmp_path / f"model{get_format(key).suffix}")
    assert export_result.rows >= 110
    assert export_result.rows
    if trained.prepared_run.problem.classes:
        class_counts = [len(fold.classes_) for models in trained.models for fold in models]
        assert min(class_counts) < max(class_counts) == 3, "the case that is to be tested"


@pytest.mark.slow
@pytest.mark.parametrize("key", MODELS)
def test_exported_probabilities_have_temperature(
    key: str, calibrated_run: tuple[Path, int], tmp_path: Path
) -> None:
    trained = train_once(*calibrated_run)
    assert trained.ensemble.temperature != 1.0
    path = tmp_path / f"model{get_format(key).suffix}"
    export_result = write_export(key, calibrated_run, path)
    assert export_result.rows
    assert not any("Refitted" in note for note in export_result.notes)
    frame = pd.read_csv(calibrated_run[0].with_name("table.csv"), dtype=str)
    shares = predict_shares(trained.estimator, frame)
    numbers = frame[["x", "y"]].astype(float)
    if key == "pickle":
        model = pickle.loads(path.read_bytes())
    else:
        trusted = json.loads(path.with_name(f"{path.name}.json").read_text())["trusted_types"]
        model = importlib.import_module("skops.io").load(path, trusted=trusted)
    probabilities = model.predict_proba(frame if key == "pickle" else numbers)
    assert model.classes_.tolist() == list(trained.prepared_run.problem.classes)
    np.testing.assert_allclose(probabilities, shares, atol=1e-9)


@pytest.mark.slow
def test_report_describes_temperature(calibrated_run: tuple[Path, int], tmp_path: Path) -> None:
    write_export("report", calibrated_run, tmp_path / "report.html")
    temperature = train_once(*calibrated_run).ensemble.temperature
    assert f"a temperature of {temperature:.2g}" in (tmp_path / "report.html").read_text()


@pytest.mark.slow
@pytest.mark.parametrize("key", MODELS)
def test_example_reads_exported_file(key: str, several: tuple[Path, int], tmp_path: Path) -> None:
    path = tmp_path / f"it's my model{get_format(key).suffix}"
    export_result = write_export(key, several, path)
    source = several[0].with_name('it\'s "quoted".csv')
    (tmp_path / "new.csv").write_bytes(source.read_bytes())
    (example,) = [each for each in export_result.companion_files if each.suffix == ".py"]
    assert example.read_text() == export_result.example
    process = subprocess.run(
        [sys.executable, str(example)], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert process.returncode == 0, process.stderr
    assert "HYPERLINK" in process.stdout
    assert MISSING_COLUMNS_WARNING not in process.stderr
    # The comments test the model, here without one of its columns.
    table = pd.read_csv(tmp_path / "new.csv", dtype=str, keep_default_na=False)
    column = export_result.details["columns"][0]
    table.drop(columns=column).to_csv(tmp_path / "new.csv", index=False)
    code, test = export_result.example.rsplit("\n\n", 1)
    _, *lines = [line.removeprefix("# ") for line in test.splitlines()]
    example.write_text("\n".join([code, *lines]))
    process = subprocess.run(
        [sys.executable, str(example)], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert process.returncode == 0, process.stderr
    n_warnings = {"pickle": 2, "skops": 1}[key]  # at each prediction, or at reading
    assert process.stderr.count(MISSING_COLUMNS_WARNING) == n_warnings
    assert repr(column) in process.stderr
    assert 0 < float(process.stdout.splitlines()[-1]) <= 1


@pytest.mark.slow
def test_exported_trials_have_no_formulas(several: tuple[Path, int], tmp_path: Path) -> None:
    from studio.export.formats.registry import format_trials_as_csv

    write_export("trials", several, tmp_path / "t.csv")
    with (tmp_path / "t.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    with Document.open(several[0], writable=False) as document:
        stored = document.trials.list_rows(several[1])
    assert [int(row["trial"]) for row in rows] == [row.trial.number for row in stored]
    assert float(rows[0]["loss"]) == stored[0].trial.loss
    assert sum(float(row["weight_at_the_end"] or 0) for row in rows) == pytest.approx(1.0)
    from dataclasses import replace

    bad = replace(stored[0].trial, configuration={"=name": "@run", "b": -1.5}, cause="+cmd")
    text = format_trials_as_csv([replace(stored[0], trial=bad)], {})
    assert "'=name" in text
    assert "'@run,-1.5" in text
    assert ",'+cmd," in text


@pytest.mark.slow
def test_exported_space_round_trips(several: tuple[Path, int], tmp_path: Path) -> None:
    write_export("space", several, tmp_path / "s.json")
    restored = Space.from_json(json.loads((tmp_path / "s.json").read_text()))
    assert restored.to_json() == load("sklearn-cash").to_json()


def test_stopped_verification_writes_no_file(several: tuple[Path, int], tmp_path: Path) -> None:
    with pytest.raises(StoppedError):
        write_export("pickle", several, tmp_path / "m.pkl", stopped=lambda: True)
    assert list(tmp_path.iterdir()) == []


def test_format_without_library_is_reported(
    several: tuple[Path, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    export_format = get_format("skops")
    monkeypatch.setattr(type(export_format), "modules", ("surely_not_installed",))
    with (
        Document.open(several[0], writable=False) as document,
        pytest.raises(ExportError, match=r'pip install "skops>=0\.13"'),
    ):
        export_format.export(ExportJob(document, several[1], tmp_path / "m.skops"))


def test_unknown_format_is_rejected() -> None:
    with pytest.raises(UsageError, match="report, pickle"):
        get_format("word")


@pytest.mark.parametrize("chosen", REGISTRY, ids=lambda each: each.key)
def test_contract_format_declarations_are_complete(chosen: ExportFormat) -> None:
    assert chosen.summary.endswith(".")
    assert chosen.suffix.startswith(".")
    assert chosen.kind in {"model", "document"}
    assert bool(chosen.extra) == bool(chosen.modules)
    assert [each.key for each in REGISTRY].count(chosen.key) == 1


@pytest.mark.parametrize("chosen", REGISTRY, ids=lambda each: each.key)
def test_file_suffix_of_another_format_is_rejected(
    chosen: ExportFormat, several: tuple[Path, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(chosen), "write", lambda _, job: ExportResult(job.path))
    monkeypatch.setattr(type(chosen), "modules", ())
    with Document.open(several[0], writable=False) as document:
        others = {each.suffix for each in REGISTRY if each.suffix != chosen.suffix}
        for ending in (".pdf", ".PDF", *others):
            with pytest.raises(ExportError) as raised:
                chosen.export(ExportJob(document, several[1], tmp_path / f"a{ending}"))
            assert chosen.suffix in str(raised.value)
        for name in ("a", f"a{chosen.suffix}", "a.v2", f"a.pdf{chosen.suffix.upper()}"):
            assert chosen.export(ExportJob(document, several[1], tmp_path / name)).path.name == name


def test_listing_formats_imports_no_heavy_library() -> None:
    code = (
        "import sys, studio.export.formats.registry\n"
        "heavy = {'sklearn', 'scipy', 'pandas', 'lightgbm', 'skops', 'numpy'}\n"
        "print(sorted(heavy & {name.split('.')[0] for name in sys.modules}))"
    )
    process = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert process.stdout.strip() == "[]"


@pytest.mark.parametrize(("decimal", "is_testable"), [(".", True), (",", False)])
def test_example_tests_only_numbers_that_pandas_reads(decimal: str, is_testable: bool) -> None:
    target = SimpleNamespace(number_format=NumberFormat(decimal=decimal))
    table = SimpleNamespace(target=target, get_single_column=lambda role: None)
    problem = SimpleNamespace(target_name="price", classes=())
    ensemble: Any = SimpleNamespace(prepared_run=SimpleNamespace(table=table, problem=problem))
    assert ("mean_absolute_error" in make_test_comment(ensemble)) == is_testable
    problem.classes = ("a", "b")
    assert "].str.strip()," in make_test_comment(ensemble)
    weights = SimpleNamespace(name="weight", number_format=NumberFormat(decimal=decimal))
    table.get_single_column = lambda role: weights
    assert ("sample_weight" in make_test_comment(ensemble)) == is_testable
    assert bool(make_test_comment(ensemble)) == is_testable
