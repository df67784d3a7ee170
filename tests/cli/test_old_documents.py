"""Documents of 0.1.0: all commands read them, and a stopped run continues."""

import contextlib
import io
import json
import pickle
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from studio.cli.entry import main
from studio.document.store import Document
from studio.export import estimator, predict
from studio.runs.engine import Engine
from studio.runs.inline import InlinePool
from studio.runs.load import follow, select_ensemble
from studio.runs.margins import predict_unseen
from tests.document.old_documents import VERSIONS, unpack

pytestmark = pytest.mark.slow

FLOWERS = """length,width,soil,noted,kind
5.8,2.8,sand,2021-01-01,early
6.9,,clay,2021-02-02,late
5.1,3.3,loam,2021-03-03,early
"""


def run_successfully(*words: object) -> str:
    """Return the output of a successful command."""
    stdout = io.StringIO()
    with contextlib.redirect_stdout(stdout):
        assert main(list(map(str, words))) == 0
    return stdout.getvalue()


def parse_last_object(text: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(text.splitlines()[-1])
    return content


@pytest.fixture(autouse=True)
def no_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Train in this process, as the tests are about reading."""
    inline = partial(estimator.train, make_pool=InlinePool)
    for module in (estimator, predict):
        monkeypatch.setattr(module, "train", inline)


@pytest.mark.parametrize("version", VERSIONS)
def test_old_document_supports_show_and_predict(version: str, tmp_path: Path) -> None:
    path = unpack(f"{version}-classes", tmp_path)
    content = parse_last_object(run_successfully("show", path, "--json"))
    assert (content["state"], content["trials"], content["failed"]) == ("finished", 8, 0)
    assert content["damages"] == []
    assert content["program"] == "", "older programs did not record their version"

    assert set(predict_labels(path, tmp_path)) <= {"early", "late"}


def predict_labels(path: Path, folder: Path) -> list[str]:
    """Return the labels predicted for the flowers by a document's ensemble."""
    table, predictions_path = folder / "f.csv", folder / "p.csv"
    table.write_text(FLOWERS)
    run_successfully("predict", path, table, "-o", predictions_path)
    return list(pd.read_csv(predictions_path).iloc[:, -3:].select_dtypes("str").iloc[:, 0])


@pytest.mark.parametrize("version", VERSIONS)
def test_intervals_of_old_document_are_symmetric(
    version: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Twelve validation rows: the largest relative errors on both sides."""
    path = unpack(f"{version}-numbers", tmp_path)
    with Document.open(path, writable=False) as document:
        prepared, history = follow(document, 1)
        ensemble = select_ensemble(document.runs.get(1), prepared, history)
        rows, unseen = predict_unseen(document, 1, prepared, history, ensemble)
    errors = np.abs(prepared.problem.y[rows] - unseen)
    assert len(errors) == 12
    typical_errors = (errors.sum() - errors + 5 * errors.mean()) / (11 + 5)
    margin = (errors / typical_errors).max() * (errors.sum() + 5 * errors.mean()) / (12 + 5)

    table, output = tmp_path / "s.csv", tmp_path / "p.csv"
    table.write_text("water,light,soil\n5.3,0.7,clay\n6.4,4.5,sand\n")
    run_successfully("predict", path, table, "--run", 1, "--interval", 0.9, "-o", output)
    predicted = pd.read_csv(output)
    for sign, end in ((-1, "lower 90 %"), (1, "upper 90 %")):
        # Both are rounded to the target's decimals.
        expected = predicted["prediction"] + sign * margin
        np.testing.assert_allclose(predicted[end], expected, rtol=0, atol=2 * 0.05)
    assert "same margin" in capsys.readouterr().err


def test_run_of_oldest_version_is_exported(tmp_path: Path) -> None:
    path, model = unpack(f"{VERSIONS[0]}-classes", tmp_path), tmp_path / "m.pkl"
    run_successfully("export", path, "--format", "pickle", "-o", model)
    loaded = pickle.loads(model.read_bytes())
    labels = predict_labels(path, tmp_path)
    by_pickle = loaded.predict(pd.read_csv(tmp_path / "f.csv").drop(columns="kind"))
    assert list(by_pickle) == labels

    for kind in ("report", "trials", "space"):
        export_path = tmp_path / f"w-{kind}"
        run_successfully("export", path, "--format", kind, "-o", export_path)
        assert export_path.stat().st_size > 0
    assert "a version before 0.2.0" in (tmp_path / "w-report").read_text()


@pytest.mark.parametrize("version", VERSIONS)
def test_stopped_run_of_old_document_continues(version: str, tmp_path: Path) -> None:
    path = unpack(f"{version}-numbers", tmp_path)
    with Document.open(path, writable=False) as document:
        assert document.runs.get(2).state == "stopped"
        stored_trials = [
            (trial.number, trial.configuration, trial.loss) for trial in document.trials.list_all(2)
        ]
    assert len(stored_trials) == 4
    with Document.open(path) as document:
        assert Engine(document, 2, lambda progress: None, InlinePool).execute_run() == "finished"
        trials = document.trials.list_all(2)
    assert [
        (trial.number, trial.configuration, trial.loss) for trial in trials[:4]
    ] == stored_trials
    assert len(trials) == 10


@pytest.mark.parametrize("version", VERSIONS)
def test_comparison_of_old_document_is_reported(version: str, tmp_path: Path) -> None:
    path, report = unpack(f"{version}-study", tmp_path), tmp_path / "r.md"
    run_successfully("compare", path, "--report", report, "--quiet")
    report_text = report.read_text()
    assert "flowers" in report_text
    assert "shells" in report_text
    assert "RS-ES" in report_text
    with Document.open(path, writable=False) as document:
        assert len(document.runs.list_all()) == 8, "nothing was recomputed"
