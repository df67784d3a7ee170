"""Exported decisions: labels follow the threshold in all formats, probabilities do not change."""

import importlib
import json
import pickle
import shutil
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from studio.analysis.decision import compute_decision_figures
from studio.analysis.decision_text import make_cost_format
from studio.analysis.one_row.row_ensemble import load_row_ensemble
from studio.cli.entry import main
from studio.document.decision import OUTDATED_NOTE, Decision
from studio.document.store import Document
from studio.export import predict
from studio.export.bundle import get_decision_notes, read_metadata
from studio.export.estimator import TrainedEnsemble, train
from studio.export.formats.base import ExportJob
from studio.export.formats.registry import get_format
from studio.export.predict import predict_pickle
from studio.export.verified import predict_test_rows
from studio.helper.tables import check_table
from studio.runs.engine import Engine
from studio.runs.inline import InlinePool
from studio.runs.settings import RunSettings, TableSource
from studio.space.library import load
from tests.export.conftest import execute_run

pytestmark = pytest.mark.slow

THRESHOLD = 0.27
COMBINATIONS: dict[str, dict[str, Any]] = {
    "vote": {"ensemble": "agnostic-bayes", "ensemble.bootstraps": 75},
    "mean": {"ensemble": "greedy"},
    "calibrated": {"ensemble": "greedy", "ensemble.start": 3, "ensemble.calibrate": True},
    "stack": {"ensemble": "stacking"},
}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    """Return a run of two classes, numbers as labels, of which 1 is the rarer."""
    rng = np.random.default_rng(8)
    folder = tmp_path_factory.mktemp("decided")
    for name, rows in (("table.csv", 160), ("new.csv", 300)):
        lines = ["x,y,outcome"]
        for _ in range(rows):
            x, y = rng.normal(size=2)
            lines.append(f"{x:.5f},{y:.5f},{int(x + 0.5 * y + rng.normal() > 1)}")
        (folder / name).write_text("\n".join(lines) + "\n")
    settings = RunSettings(
        method="RS",
        budget=5,
        source=TableSource(path=str(folder / "table.csv"), target="outcome", task="binary"),
        space=load("forest-smbeo").to_json(),
    )
    return execute_run(folder / "run.studio", settings)


@cache
def make_decided_run(
    run: tuple[Path, int], combination: str
) -> tuple[Path, TrainedEnsemble, TrainedEnsemble]:
    """Return a copy of the run with a decision, its ensemble, and the original predictions."""
    path = run[0].with_name(f"{combination}.studio")
    shutil.copy(run[0], path)
    with Document.open(path) as document:
        document.runs.change_settings(run[1], {"overrides": COMBINATIONS[combination]})
        plain = train(document, run[1], make_pool=InlinePool)
        document.runs.decide(run[1], Decision("1", THRESHOLD, trials=5))
        return path, train(document, run[1], make_pool=InlinePool), plain


@pytest.mark.parametrize("combination", COMBINATIONS)
def test_decision_changes_labels_but_not_probabilities(
    run: tuple[Path, int], tmp_path: Path, combination: str
) -> None:
    _, trained, plain = make_decided_run(run, combination)
    table = run[0].with_name("new.csv")
    frame = pd.read_csv(table)
    (tmp_path / "model.pkl").write_bytes(pickle.dumps(trained.estimator))
    predictions = predict_pickle(tmp_path / "model.pkl", table, trained.prepared_run.table.options)
    assert predictions.probabilities is not None
    np.testing.assert_array_equal(predictions.probabilities, plain.estimator.predict_proba(frame))
    np.testing.assert_array_equal(
        predictions.values, (predictions.probabilities[:, 1] >= THRESHOLD).astype(int)
    )
    np.testing.assert_array_equal(predictions.values, trained.estimator.predict(frame))
    assert (predictions.values != plain.estimator.predict(frame)).any(), (
        "the case that is to be tested"
    )
    assert (predict_test_rows(trained) == predict_test_rows(plain)).all()
    assert trained.notes[-1] == trained.decision.sentence  # type: ignore[union-attr]


@pytest.mark.parametrize("combination", ["vote", "calibrated"])
@pytest.mark.parametrize("key", ["pickle", "skops"])
def test_every_format_applies_decision(
    run: tuple[Path, int],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    combination: str,
    key: str,
) -> None:
    document_path, trained, _ = make_decided_run(run, combination)
    kind = get_format(key)
    if kind.missing_dependency:
        pytest.skip(kind.missing_dependency)
    monkeypatch.setattr(ExportJob, "train", lambda _: trained)
    path = tmp_path / f"model{kind.suffix}"
    with Document.open(document_path, writable=False) as document:
        export_result = kind.export(ExportJob(document, run[1], path))
    assert export_result.rows
    assert trained.decision is not None and trained.decision.sentence in export_result.notes
    frame = pd.read_csv(run[0].with_name("new.csv"))
    numbers = frame[["x", "y"]]
    if key == "skops":
        trusted = json.loads(path.with_name(f"{path.name}.json").read_text())["trusted_types"]
        labels = importlib.import_module("skops.io").load(path, trusted=trusted).predict(numbers)
    else:
        labels = pickle.loads(path.read_bytes()).predict(frame)
        about = json.loads(path.with_name(f"{path.name}.json").read_text())
        assert about["decision"]["looked_for"] == "1"
    np.testing.assert_array_equal(labels, trained.estimator.predict(frame))


@pytest.mark.parametrize("outdated", [False, True])
def test_pickle_notes_outdated_decision(
    run: tuple[Path, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, outdated: bool
) -> None:
    document_path, trained, _ = make_decided_run(run, "vote")
    if outdated:
        trained = replace(trained, decision_note=OUTDATED_NOTE)
    monkeypatch.setattr(ExportJob, "train", lambda _: trained)
    path, table = tmp_path / "model.pkl", run[0].with_name("new.csv")
    with Document.open(document_path, writable=False) as document:
        get_format("pickle").export(ExportJob(document, run[1], path))
    notes = predict_pickle(path, table, trained.prepared_run.table.options).notes
    assert trained.decision is not None and trained.decision.sentence in notes
    assert (OUTDATED_NOTE in notes) == outdated
    beside = path.with_name("model.pkl.json")
    for foreign in ("{}", "no json", beside.read_text().replace('"sha256": "', '"sha256": "0')):
        beside.write_text(foreign)
        assert get_decision_notes(read_metadata(path)) == ()


def test_outdated_decision_note_is_added_at_training(run: tuple[Path, int], tmp_path: Path) -> None:
    path = tmp_path / "copy.studio"
    shutil.copy(run[0], path)
    with Document.open(path) as document:
        document.runs.decide(run[1], Decision("1", THRESHOLD))
        result = document.runs.get(run[1]).result
        assert result is not None
        document.runs.set_result(run[1], replace(result, temperature=2.0))
        stored_note = document.runs.get(run[1]).decision_note
        trained = train(document, run[1], make_pool=InlinePool)
    assert trained.decision_note == stored_note == OUTDATED_NOTE


def test_decision_is_set_shown_and_cleared_by_command(
    run: tuple[Path, int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "copy.studio"
    shutil.copy(run[0], path)

    def run_command(*arguments: str) -> dict[str, Any]:
        assert main([*arguments, "--json"]) == 0
        output: dict[str, Any] = json.loads(capsys.readouterr().out.splitlines()[-1])
        return output

    decide_output = run_command(
        "decide", str(path), "--class", "1", "--miss-cost", "6", "--alarm-cost", "1"
    )
    stored_decision = run_command("show", str(path))["decision"]
    assert stored_decision == decide_output["decision"]
    assert (
        stored_decision["looked_for"],
        stored_decision["miss_cost"],
        stored_decision["trials"],
    ) == ("1", 6.0, 5)
    assert stored_decision["threshold"] == decide_output["threshold"] != 0.5
    assert run_command("decide", str(path))["decided"] == decide_output["decided"]
    by_capacity = run_command("decide", str(path), "--class", "1", "--capacity", ".2")["decision"]
    assert run_command("show", str(path))["decision"] == by_capacity
    assert (by_capacity["capacity"], by_capacity["miss_cost"]) == (0.2, None)
    assert run_command("decide", str(path), "--clear")["decision"] is None
    assert main(["decide", str(path), "--threshold", ".3", "--clear"]) == 2
    assert main(["decide", str(path), "--class", "2", "--threshold", ".3"]) == 2
    assert run_command("show", str(path))["decision"] is None


def test_outdated_decision_is_reported_everywhere(
    run: tuple[Path, int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, output = tmp_path / "copy.studio", tmp_path / "out.csv"
    shutil.copy(run[0], path)

    def prints_note(*words: str) -> bool:
        assert main([words[0], str(path), *words[1:]]) == 0
        streams = capsys.readouterr()
        return OUTDATED_NOTE in streams.out + streams.err

    def everywhere() -> set[bool]:
        with Document.open(path, writable=False) as document:
            get_format("report").export(ExportJob(document, run[1], tmp_path / "report.html"))
        new = str(run[0].with_name("new.csv"))
        return {
            prints_note("show"),
            prints_note("decide"),
            prints_note("decide", "--json"),
            prints_note("predict", new, "-o", str(output)),
            OUTDATED_NOTE in (tmp_path / "report.html").read_text(),
            OUTDATED_NOTE in check_table(path, run[1], Path(new)).notes,
            load_row_ensemble(path, run[1]).decision_note == OUTDATED_NOTE,
        }

    assert main(["decide", str(path), "--class", "1", "--threshold", ".3"]) == 0
    assert everywhere() == {False}
    with Document.open(path) as document:
        document.runs.change_settings(run[1], {"budget": 8})
        Engine(document, run[1], lambda progress: None, InlinePool).execute_run()
    assert everywhere() == {True}
    assert main(["decide", str(path), "--threshold", ".3"]) == 0
    assert everywhere() == {False}
    with Document.open(path) as document:
        result = document.runs.get(run[1]).result
        assert result is not None
        document.runs.set_result(run[1], replace(result, refitted=not result.refitted))
    assert prints_note("show")


def test_suggested_command_contains_run_number(
    run: tuple[Path, int],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    curve = SimpleNamespace(
        metric="error", on="test", rows=(), losses=(), low=(), high=(), notes=(), sentence=""
    )
    monkeypatch.setattr(predict, "train", partial(train, make_pool=InlinePool))
    package = "studio.analysis.learning_curve"
    monkeypatch.setattr(f"{package}.curve.compute_learning_curve", lambda *_, **__: curve)
    monkeypatch.setattr(f"{package}.storage.store_curve", lambda *_: None)
    path = tmp_path / "copy.studio"
    shutil.copy(run[0], path)
    argv = ["predict", str(path), str(run[0].with_name("new.csv")), "-o", str(tmp_path / "o.csv")]
    assert main(argv) == 0
    assert "--run" not in capsys.readouterr().err
    assert main(["fork", str(path), "--at", "3", "--method", "RS", "--budget", "5"]) == 0
    capsys.readouterr()
    assert main(argv) == 0
    assert "run 2, " in capsys.readouterr().err
    assert main([*argv, "--run", "1"]) == 0
    assert "--run" not in capsys.readouterr().err
    for command in (["decide", str(path), "--threshold", "0.3"], ["learning-curve", str(path)]):
        assert main(command) == 0
        assert "run 2, " in capsys.readouterr().out
        assert main([*command, "--run", "1"]) == 0
        assert "--run" not in capsys.readouterr().out
    assert main(["decide", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["run"] == 2


def test_report_describes_decision(run: tuple[Path, int], tmp_path: Path) -> None:
    path = tmp_path / "copy.studio"
    shutil.copy(run[0], path)

    def report() -> str:
        with Document.open(path, writable=False) as document:
            get_format("report").export(ExportJob(document, run[1], tmp_path / "report.html"))
        return (tmp_path / "report.html").read_text()

    assert "The decision" not in report()
    with Document.open(path) as document:
        document.runs.decide(run[1], Decision("1", THRESHOLD, 4.0, 1.0, trials=5))
    text = report()
    figures = compute_decision_figures(path, run[1], threshold=THRESHOLD)
    confusion = figures.threshold_confusion
    assert (
        f"{confusion.true_positives:g} of {confusion.true_positives + confusion.false_negatives:g})"
        in text
    )
    assert f">{make_cost_format(figures, 4, 1).format(100 * confusion.compute_cost(4, 1))}<" in text
    assert "always “0”" in text
