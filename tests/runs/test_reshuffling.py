"""Runs that reshuffle training and validation rows for each trial (thesis 3.2.1)."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from studio.analysis.diversity import compute_member_diversity
from studio.analysis.surrogate.planes import compute_surrogate_slice
from studio.data.splits import SplitPlan
from studio.document.store import Document
from studio.errors import EnsembleError, UsageError
from studio.export.estimator import train
from studio.export.frame import make_raw_frame
from studio.runs.create import create_run
from studio.runs.inline import InlinePool
from studio.runs.load import load_history
from studio.runs.prepare import prepare
from studio.runs.settings import RunSettings, TableSource
from studio.runs.staging import FoldInputs, TrialData, list_predicted_rows

pytestmark = pytest.mark.slow

Make = Callable[..., tuple[Path, int]]
RESHUFFLE = {"evaluation": "reshuffle"}


def test_hold_out_trials_use_different_validation_rows(finished_run: Make) -> None:
    path, run_id = finished_run(method="RS", overrides=RESHUFFLE, budget=4)
    with Document.open(path, writable=False) as document:
        prepared_run = prepare(document, run_id)
        redraw = prepared_run.redraw
        assert redraw is not None
        scored = []
        for trial in document.trials.list_all(run_id):
            ((training, held_out),) = redraw.make_folds(trial.seed)
            assert np.array_equal(np.union1d(training, held_out), prepared_run.split.development)
            assert len(held_out) == len(prepared_run.split.validation)
            scored.append(held_out)
            stored = document.trials.read_predictions(run_id, trial.number, "validation")
            assert stored is not None
            truth = prepared_run.problem.y[held_out]
            assert trial.loss == pytest.approx(np.mean(stored.argmax(axis=1) != truth))
    assert len({rows.tobytes() for rows in scored}) == 4


def test_reshuffled_history_rejects_access_to_predictions(finished_run: Make) -> None:
    path, run_id = finished_run(method="RS", overrides=RESHUFFLE, budget=2)
    with Document.open(path, writable=False) as document:
        history = load_history(document, run_id, prepare(document, run_id))
    assert not history.comparable
    assert len(history.take_first(1)) == 1
    for read in (history.get_predictions, history.get_votes, history.take_first(1).get_votes):
        with pytest.raises(EnsembleError, match="its own rows"):
            read(1)
    assert compute_member_diversity(path, run_id, None).reason


def test_surrogate_slice_of_reshuffled_run_is_available(finished_run: Make) -> None:
    path, run_id = finished_run(method="BO-best", overrides=RESHUFFLE, budget=4)
    assert compute_surrogate_slice(path, run_id, None, "algorithm").mean.size


def test_reshuffled_folds_predict_every_row_in_same_order(finished_run: Make) -> None:
    plan = SplitPlan(folds=3)
    path, run_id = finished_run(method="RS-post", overrides=RESHUFFLE, budget=4, plan=plan)
    with Document.open(path, writable=False) as document:
        prepared_run = prepare(document, run_id)
        assert prepared_run.redraw is not None
        trial_folds = [
            prepared_run.redraw.make_folds(trial.seed) for trial in document.trials.list_all(run_id)
        ]
        history = load_history(document, run_id, prepared_run)
        result = document.runs.get(run_id).result
    assert all(
        np.array_equal(list_predicted_rows(folds), prepared_run.split.validation)
        for folds in trial_folds
    )
    assert (
        len(
            {
                np.concatenate([validation_rows for _, validation_rows in folds]).tobytes()
                for folds in trial_folds
            }
        )
        == 4
    )
    for trial in history.trials:
        is_wrong = history.get_votes(trial.number) != history.truth
        assert trial.loss == pytest.approx(is_wrong.mean())
    assert result is not None
    assert result.test_error_ensemble is not None


@pytest.mark.parametrize("plan", [SplitPlan(), SplitPlan(folds=3)], ids=["hold-out", "folds"])
def test_resumed_reshuffled_run_equals_uninterrupted_run(
    new_run: Make,
    finished_run: Make,
    run_inline: Callable[..., str],
    kill_after: Callable[..., None],
    recorded: Callable[..., list[Any]],
    plan: SplitPlan,
) -> None:
    settings = {"method": "RS", "overrides": RESHUFFLE, "budget": 5, "plan": plan}
    uninterrupted = recorded(*finished_run(**settings))
    path, run_id = new_run(**settings)
    kill_after(path, run_id, 2)
    assert run_inline(path, run_id) == "finished"
    assert recorded(path, run_id) == uninterrupted


def test_workers_sample_same_rows_from_files(finished_run: Make, tmp_path: Path) -> None:
    path, run_id = finished_run(method="RS", overrides=RESHUFFLE, budget=1)
    with Document.open(path, writable=False) as document:
        prepared_run = prepare(document, run_id)
    folder = tmp_path / "staged"
    folder.mkdir()
    prepared_run.get_trial_data().save(folder)
    data = TrialData.load(folder)
    assert isinstance(data.redraw, FoldInputs)
    assert prepared_run.redraw is not None
    for seed in (1, 2, 3):
        ((training, held_out),) = data.get_folds(seed)
        assert np.array_equal(training, prepared_run.redraw.make_folds(seed)[0][0])
        assert np.array_equal(held_out, prepared_run.redraw.make_folds(seed)[0][1])


@pytest.mark.parametrize(
    ("method", "overrides"),
    [
        ("RS-post", RESHUFFLE),
        ("EO-sqm", RESHUFFLE),
        ("EO-sqm", {**RESHUFFLE, "ensemble": "single-best"}),
    ],
)
def test_reshuffling_rejects_combining_methods(
    tmp_path: Path, small_table: Path, method: str, overrides: dict[str, str]
) -> None:
    source = TableSource(path=str(small_table))
    settings = RunSettings(method=method, overrides=overrides, source=source)
    folds = RunSettings(method=method, overrides=overrides, source=source, plan=SplitPlan(folds=3))
    with Document.create(tmp_path / "new.studio") as document:
        with pytest.raises(UsageError, match="predicts different rows"):
            create_run(document, None, settings)
        assert not document.runs.list_all()
        assert create_run(document, None, folds) == 1


def test_final_model_without_refit_uses_training_rows_of_trial(finished_run: Make) -> None:
    path, run_id = finished_run(method="RS", overrides=RESHUFFLE, budget=2, refit=False)
    with Document.open(path, writable=False) as document:
        prepared_run = prepare(document, run_id)
        result = document.runs.get(run_id).result
        best = min(document.trials.list_all(run_id), key=lambda trial: trial.loss)
        stored = document.trials.read_predictions(run_id, best.number, "test")
        ((model,),) = train(document, run_id, make_pool=InlinePool).models
    assert prepared_run.redraw is not None
    ((training, _),) = prepared_run.redraw.make_folds(best.seed)
    X, y = prepared_run.problem.X, prepared_run.problem.y
    repeated = clone(model).fit(X[training], y[training]).predict_proba(X[prepared_run.split.test])
    truth = y[prepared_run.split.test]
    assert stored is not None
    np.testing.assert_allclose(stored, repeated, atol=1e-3)  # kept in half precision
    assert result is not None
    assert not result.refitted
    assert result.test_error_single == pytest.approx(np.mean(stored.argmax(axis=1) != truth))


@pytest.mark.parametrize("overrides", [{}, RESHUFFLE], ids=["fixed", "reshuffled"])
def test_run_without_refit_exports_tested_model(
    finished_run: Make, overrides: dict[str, str]
) -> None:
    path, run_id = finished_run(method="RS", overrides=overrides, budget=2, refit=False)
    with Document.open(path, writable=False) as document:
        trained = train(document, run_id, make_pool=InlinePool)
        (number,) = trained.ensemble.members
        stored = document.trials.read_predictions(run_id, number, "test")
    problem, split = trained.prepared_run.problem, trained.prepared_run.split
    predicted = trained.estimator.predict(make_raw_frame(trained, len(problem.y)))[split.test]
    assert stored is not None
    expected = [problem.classes[code] for code in stored.argmax(axis=1)]
    assert predicted.tolist() == expected
