"""Exported estimators agree with ``combine`` for all kinds of combination."""

import pickle
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from studio.document.store import Document
from studio.ensembles.base import combine, compute_probabilities
from studio.export import bundle
from studio.export.estimator import train
from studio.export.formats.base import ExportJob
from studio.export.members import complete_classes, make_fold_ensemble, to_whole_weights
from studio.export.predict import predict_pickle
from studio.runs.engine import Engine
from studio.runs.final_models import get_mean_predictions, train_final_models
from studio.runs.inline import InlinePool
from studio.runs.limits import TrialLimits
from studio.runs.load import load_history
from studio.runs.prepare import prepare
from studio.runs.settings import RunSettings, TableSource
from studio.space.library import load
from tests.export.conftest import execute_run

pytestmark = pytest.mark.slow

OVERRIDES: dict[str, dict[str, Any]] = {
    "agnostic Bayes": {"ensemble": "agnostic-bayes", "ensemble.bootstraps": 75},
    "agnostic Bayes, mean": {
        "ensemble": "agnostic-bayes",
        "ensemble.bootstraps": 75,
        "ensemble.combination": "mean",
    },
    "single best": {"ensemble": "single-best"},
    "weighted bagging": {"ensemble": "weighted-bagging"},
    "stacking": {"ensemble": "stacking"},
    "greedy, mean": {"ensemble": "greedy"},
    "greedy, calibrated": {"ensemble": "greedy", "ensemble.start": 3, "ensemble.calibrate": True},
    "greedy, bagged vote": {
        "ensemble": "greedy",
        "ensemble.combination": "vote",
        "ensemble.bags": 3,
        "ensemble.prefix": "best",
    },
}


def table(path: Path, classes: int) -> Path:
    rng = np.random.default_rng(classes)
    lines = ["x,y,kind,outcome"]
    for _ in range(150):
        x, y = rng.normal(size=2)
        kind = rng.choice(["p", "q"])
        score = x + (kind == "q") + rng.normal(0, 0.8)
        outcome = "abcdef"[int(np.clip(score + 1, 0, classes - 1))] if classes else f"{score:.4f}"
        lines.append(f"{x:.5f},{y:.5f},{kind},{outcome}")
    path.write_text("\n".join(lines) + "\n")
    return path


CASES = {
    "two classes": (2, "sklearn-cash"),
    "three classes": (3, "sklearn-cash"),
    "labels only": (3, "svm-rbf"),
    "numbers": (0, "sklearn-cash-regression"),
}


@pytest.fixture(scope="module", params=list(CASES), ids=lambda name: name.replace(" ", "-"))
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    classes, space = CASES[request.param]
    folder = tmp_path_factory.mktemp("combinations")
    csv = table(folder / "table.csv", classes)
    settings = RunSettings(
        method="RS", budget=9, source=TableSource(path=str(csv)), space=load(space).to_json()
    )
    return *execute_run(folder / "run.studio", settings), csv


@pytest.fixture(scope="module")
def retrained_predictions(
    run: Any, tmp_path_factory: pytest.TempPathFactory
) -> dict[int, np.ndarray]:
    """Retrain every trial's model; return its predictions of all rows."""
    path, run_id, _ = run
    scratch = tmp_path_factory.mktemp("retrained")
    with Document.open(path) as document:
        prepared_run = prepare(document, run_id)
        history = load_history(document, run_id, prepared_run)
    pool = InlinePool(1, scratch, TrialLimits(), prepared_run.get_trial_data())
    matrix = pool.stage_array("all", np.ascontiguousarray(prepared_run.problem.X))
    models, _ = train_final_models(
        prepared_run,
        history,
        [trial.number for trial in history.succeeded],
        pool,
        lambda: False,
        folder=scratch,
        matrix_paths=[matrix],
    )
    return get_mean_predictions(models, 0)


COMBINATIONS = {
    "two classes": (
        "agnostic Bayes",
        "weighted bagging",
        "stacking",
        "greedy, bagged vote",
        "greedy, calibrated",
    ),
    "three classes": (
        "agnostic Bayes, mean",
        "single best",
        "stacking",
        "greedy, mean",
        "greedy, calibrated",
    ),
    "labels only": ("agnostic Bayes", "stacking", "greedy, calibrated", "greedy, bagged vote"),
    "numbers": (
        "agnostic Bayes, mean",
        "single best",
        "weighted bagging",
        "greedy, mean",
        "stacking",
    ),
}
"""Combinations by kind of target: each with two kinds, or all if the kind matters."""


def test_combination_tests_cover_all_overrides() -> None:
    assert {what for each in COMBINATIONS.values() for what in each} == set(OVERRIDES)


def test_exported_estimator_equals_combination(
    run: Any,
    retrained_predictions: dict[int, np.ndarray],
    tmp_path: Path,
    request: pytest.FixtureRequest,
    subtests: pytest.Subtests,
) -> None:
    for what in COMBINATIONS[request.node.callspec.params["run"]]:
        with subtests.test(what=what):
            check_estimator(run, retrained_predictions, what, tmp_path)


def check_estimator(
    run: Any, retrained_predictions: dict[int, np.ndarray], what: str, folder: Path
) -> None:
    path, run_id, csv = run
    with Document.open(path) as document:
        document.runs.change_settings(run_id, {"overrides": OVERRIDES[what]})
        trained = train(document, run_id, make_pool=InlinePool)
    each = retrained_predictions.__getitem__
    together, sure = combine(each, trained.ensemble), compute_probabilities(each, trained.ensemble)
    classes = trained.prepared_run.problem.classes
    learns = what == "greedy, calibrated" and bool(classes)
    assert (trained.ensemble.temperature != 1.0) == learns
    model = pickle.loads(pickle.dumps(trained.estimator))
    predictions = model.predict(pd.read_csv(csv))
    if not classes:
        np.testing.assert_allclose(predictions, together, rtol=1e-9)
        return
    assert predictions.tolist() == [classes[code] for code in together.argmax(axis=1)]
    (folder / "model.pkl").write_bytes(pickle.dumps(model))
    shares = predict_pickle(
        folder / "model.pkl", csv, trained.prepared_run.table.options
    ).probabilities
    np.testing.assert_allclose(shares, sure, atol=1e-9)
    np.testing.assert_allclose(model.predict_proba(pd.read_csv(csv)), sure, atol=1e-9)


@pytest.mark.parametrize("run", ["labels only"], indirect=True)
def test_exported_stack_predicts_in_fresh_process(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The export compares predictions in a process that cannot import this package."""
    path, run_id, csv = run
    inline = partial(train, make_pool=InlinePool)
    monkeypatch.setattr(ExportJob, "train", lambda job: inline(job.document, job.run_id))
    with Document.open(path) as document:
        document.runs.change_settings(run_id, {"overrides": {"ensemble": "stacking"}})
        export_result = bundle.write(ExportJob(document, run_id, tmp_path / "m.pkl"))
        trained = inline(document, run_id)
    assert export_result.details["combination"] == "stack"
    with (tmp_path / "m.pkl").open("rb") as file:
        model = pickle.load(file)
    frame = pd.read_csv(csv, dtype=str)
    assert model.predict(frame).tolist() == trained.estimator.predict(frame).tolist()


@pytest.mark.parametrize("run", ["three classes"], indirect=True)
def test_run_with_stacking_finishes_with_test_error(run: Any, tmp_path: Path) -> None:
    _, _, csv = run
    settings = RunSettings(
        method="ESMBO",
        budget=6,
        source=TableSource(path=str(csv)),
        space=load("svm-rbf").to_json(),
        overrides={"ensemble": "stacking"},
    )
    with Document.create(tmp_path / "s.studio") as document:
        run_id = document.runs.add("test", settings.to_json())
        assert (
            Engine(document, run_id, lambda progress: None, InlinePool).execute_run() == "finished"
        )
        row = document.runs.get(run_id)
        last = document.trials.list_iterations(run_id)[-1]
        document.runs.change_settings(run_id, {"budget": 40})
        continued = prepare(document, run_id)
    assert row.result is not None
    assert row.result.combination == "stack"
    assert 0 <= row.result.test_error_ensemble < 0.8
    assert row.settings["overrides"] == {"ensemble": "stacking", "proposer.bootstraps": 3}
    assert continued.method.proposer.to_json()["bootstraps"] == 3, "as when the run began"
    assert last.single_test is not None
    assert last.ensemble_test is not None
    assert sum(weight for _, weight in last.members) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("weights", "whole"),
    [([3 / 12, 1 / 12, 8 / 12], [3, 1, 8]), ([0.5 / 75, 74.5 / 75], [1, 149]), ([1.0], [1])],
)
def test_vote_weights_are_integers(weights: list[float], whole: list[int]) -> None:
    assert to_whole_weights(weights) == whole


def test_non_fractional_vote_weights_are_kept() -> None:
    weights = [np.pi / 4, 1 - np.pi / 4]
    assert to_whole_weights(weights) == weights


def test_class_missing_in_fold_has_probability_zero() -> None:
    from sklearn.naive_bayes import GaussianNB

    X = np.array([[0.0], [1.0], [0.1], [1.1], [2.0], [2.3]])
    y = np.array([0, 2, 0, 2, 1, 1])
    lacking, complete_model = GaussianNB().fit(X[:4], y[:4]), GaussianNB().fit(X, y)
    spread = pickle.loads(pickle.dumps(complete_classes(lacking, 3)))
    assert spread.predict_proba(X)[:, [0, 2]].tobytes() == lacking.predict_proba(X).tobytes()
    assert not spread.predict_proba(X)[:, 1].any()
    assert spread.predict(X).tolist() == lacking.predict(X).tolist()
    mean = (spread.predict_proba(X) + complete_model.predict_proba(X)) / 2
    both = make_fold_ensemble([lacking, complete_model], 3, 2)
    assert both.predict_proba(X).tobytes() == mean.tobytes()
    assert both.predict(X).tolist() == mean.argmax(axis=1).tolist()
