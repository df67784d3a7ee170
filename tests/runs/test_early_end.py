"""Early stopping of poor trials after their first folds."""

from dataclasses import replace

import numpy as np
import pytest

from studio.data.evaluation.base import EarlyStopping
from studio.data.metrics.predicted_classes import ErrorRate
from studio.data.metrics.squared_errors import Rmse
from studio.data.split_plan import SplitPlan
from studio.document.store import Document
from studio.errors import EarlyEndError, LateTrialError, LearnerError
from studio.learners.choice import LearnerConfiguration
from studio.learners.registry import REGISTRY
from studio.runs.causes import make_exception_failure
from studio.runs.evaluate import evaluate, execute_job
from studio.runs.jobs import EarlyStopThresholds, make_evaluation_job
from studio.runs.limits import TrialLimits
from studio.runs.load import follow
from studio.runs.searching import compute_early_stop_thresholds
from studio.runs.staging import TrialData
from studio.space.library import load
from studio.trial import Trial
from tests.facts import about

KNN = next(part for part in REGISTRY if part.key == "knn-regressor")


def table(rows=120, folds=4):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, 2))
    number = np.arange(rows) % folds
    parts = tuple((np.flatnonzero(number != k), np.flatnonzero(number == k)) for k in range(folds))
    return TrialData(
        X=X, y=10 * X[:, 0], task="regression", n_classes=0, categorical=np.zeros(2, bool),
        folds=parts, validation=np.arange(rows), test=np.empty(0, dtype=np.int64),
    )  # fmt: skip


@pytest.mark.parametrize("given_up_after", [1, 2, 3])
def test_trial_stops_at_first_missed_threshold(given_up_after):
    losses = tuple(0.0 if fold + 1 == given_up_after else 1e9 for fold in range(3))
    bars = EarlyStopThresholds(Rmse(), losses, (0.25,) * 3)
    is_early_stop = about(done=str(given_up_after), folds="4", best="0.25")
    with pytest.raises(LearnerError, check=is_early_stop):
        evaluate(table(), KNN(), LearnerConfiguration(KNN.key, {}), 0, thresholds=bars)


@pytest.mark.slow
def test_trial_within_thresholds_is_unchanged():
    plain = evaluate(table(), KNN(), LearnerConfiguration(KNN.key, {}), 0)
    barred = evaluate(
        table(),
        KNN(),
        LearnerConfiguration(KNN.key, {}),
        0,
        thresholds=EarlyStopThresholds(Rmse(), (1e9,) * 3, (0.0,) * 3),
    )
    assert plain.validation.tobytes() == barred.validation.tobytes()


def test_early_stopped_and_timed_out_trials_are_not_failures():
    late = LateTrialError("It was late.")
    for error, kind in ((EarlyEndError("Ended early."), "early"), (late, "time")):
        assert make_exception_failure("Neighbours", error, TrialLimits(1.0, None)).kind == kind
    trials = [Trial(1, {}, 0, None, failure=kind) for kind in ("early", "time", "other")]
    assert [each.status for each in trials] == ["ended early", "not finished", "failed"]


def test_threshold_is_between_best_and_baseline():
    part = EarlyStopping(hope=0.25)
    assert part.compute_max_loss(0.1, 0.5, 0.0) == pytest.approx(0.2)
    assert part.compute_max_loss(0.1, 0.5, 0.03) == pytest.approx(0.23)
    assert (
        part.compute_max_loss(0.5, 0.1, 0.0) == 0.5
    )  # a best loss worse than guessing stops no trial


@pytest.mark.slow
def test_best_trial_is_compared_on_rows_of_first_folds(finished_run):
    path, run_id = finished_run(budget=4, plan=SplitPlan(0.6, 0.2, 0.2, folds=4))
    with Document.open(path, writable=False) as document:
        prepared, history = follow(document, run_id)
    method = replace(prepared.method, evaluation=EarlyStopping())
    thresholds = compute_early_stop_thresholds(replace(prepared, method=method), history)
    best = min(history.succeeded, key=lambda trial: (trial.loss, trial.number))
    classes = history.get_predictions(best.number).argmax(axis=1)
    wrong = dict(zip(prepared.split.validation, classes != history.truth, strict=True))
    folds = [rows for _, rows in prepared.split.folds]
    errors = [np.mean([wrong[row] for each in folds[:n] for row in each]) for n in (1, 2, 3)]
    assert thresholds.best == pytest.approx(errors)
    assert thresholds.best[0] != pytest.approx(best.loss), "the error of all folds differs"


def test_thresholds_round_trip_through_json():
    bars = EarlyStopThresholds(ErrorRate(), (0.3, 0.4), (0.1, 0.2))
    assert EarlyStopThresholds.from_json(bars.to_json(), "binary") == bars


def test_trial_without_storable_models_stops_after_first_fold(tmp_path):
    with pytest.raises(EarlyEndError, check=about(most="0")):
        evaluate(
            table(), KNN(), LearnerConfiguration(KNN.key, {}), 0, models=tmp_path, max_bytes=100
        )
    full_outcome = evaluate(
        table(), KNN(), LearnerConfiguration(KNN.key, {}), 0, models=tmp_path, max_bytes=10**9
    )
    assert len(list(tmp_path.glob("*.pkl"))) == 4
    assert np.isfinite(full_outcome.validation).all()


def test_worker_applies_thresholds_of_job():
    space = load("sklearn-cash-regression")
    configuration = {"algorithm": "knn-regressor", "knn-regressor.n_neighbors": 5}
    bars = EarlyStopThresholds(Rmse(), (0.0,) * 3, (0.0,) * 3)
    learner, choice = KNN(), LearnerConfiguration(KNN.key, {})
    job = make_evaluation_job(space, configuration, 0, thresholds=bars)
    with pytest.raises(LearnerError, check=about(done="1", folds="4")):
        execute_job(table(), learner, choice, job)
    full_outcome = execute_job(
        table(), learner, choice, make_evaluation_job(space, configuration, 0)
    )
    assert full_outcome.validation.shape == (120,)
