"""Committees: means of a trial's fold models, with a refit of it or without one."""

import pickle
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from studio.data.splits import SplitPlan
from studio.document.store import Document
from studio.ensembles.base import combine
from studio.export.estimator import train
from studio.export.frame import make_raw_frame
from studio.runs import model_files
from studio.runs.checked_predictions import predict_mean
from studio.runs.engine import Engine, EngineLoop
from studio.runs.final_models import FinalModel, train_final_models
from studio.runs.finish import refit_run
from studio.runs.inline import InlinePool
from studio.runs.jobs import build_training
from studio.runs.limits import TrialLimits
from studio.runs.load import load_history
from studio.runs.model_files import FoldModels
from studio.runs.prepare import prepare
from studio.runs.reserve import RefitSelection
from studio.runs.settings import describe_training
from studio.space.library import load
from studio.trial import History, Trial
from tests.facts import facts

pytestmark = pytest.mark.slow

FOLDS = {"refit": False, "plan": SplitPlan(0.6, 0.2, 0.2, folds=3)}
METHODS = {
    "probabilities": {"method": "BO-post", "overrides": {"ensemble.size": 4}},
    "votes": {"method": "EO-sqm", "overrides": {"proposer.slots": 4}},
    "labels only": {"method": "RS-post", "space": load("svm-rbf").to_json()},
    "one trial": {"method": "RS", "overrides": {"ensemble": "single-best"}},
    "folds of their own": {
        "method": "RS-post",
        "overrides": {"evaluation": "reshuffle", "ensemble.size": 3},
    },
}


@pytest.mark.parametrize("what", METHODS)
def test_exported_model_equals_tested_model(
    what: str, new_run: Callable[..., tuple[Path, int]], run_inline: Callable[..., str]
) -> None:
    path, run_id = new_run(budget=6, **FOLDS, **METHODS[what])
    assert run_inline(path, run_id) == "finished"
    with Document.open(path, writable=False) as document:
        trained = train(document, run_id, make_pool=InlinePool)
        result = document.runs.get(run_id).result
        stored = {
            number: document.trials.read_predictions(run_id, number, "test")
            for number in trained.ensemble.members
        }
    prepared_run = trained.prepared_run
    test = prepared_run.split.test
    assert result is not None
    assert not result.refitted
    assert all(len(models) == 3 for models in trained.models)
    together = combine(stored.__getitem__, trained.ensemble)  # type: ignore[arg-type]
    assert result.test_error_ensemble == prepared_run.compute_loss(test, together)
    codes = [
        prepared_run.problem.classes.index(label)
        for label in trained.estimator.predict(make_raw_frame(trained, len(prepared_run.problem.y)))
    ]
    assert np.array_equal(np.array(codes)[test], together.argmax(axis=1))
    X = np.ascontiguousarray(prepared_run.problem.X[test])
    for member, test_predictions in zip(trained.member_estimators, stored.values(), strict=True):
        np.testing.assert_allclose(member.predict_proba(X), test_predictions, atol=1e-3)


def collect_models(
    path: Path, run_id: int, monkeypatch: pytest.MonkeyPatch, most: int = 1 << 30
) -> dict[int, list[bytes]]:
    """Work on a run; return the final files of its scratch folder, by trial."""
    models_by_trial: dict[int, list[bytes]] = {}
    end = EngineLoop._finish
    make = FoldModels.make

    def read(loop: EngineLoop) -> str:
        for trial in loop._recorder.history.succeeded:
            files = loop._session.models.list_files(trial.number)
            models_by_trial[trial.number] = [file.read_bytes() for file in files]
        return end(loop)

    def small(prepared: Any, scratch: Path) -> FoldModels:
        models = make(prepared, scratch)
        models._max_bytes = most
        return models

    monkeypatch.setattr(EngineLoop, "_finish", read)
    monkeypatch.setattr(FoldModels, "make", small)
    with Document.open(path) as document:
        assert (
            Engine(document, run_id, lambda progress: None, InlinePool).execute_run() == "finished"
        )
    return models_by_trial


def test_stored_fold_models_equal_retrained_models(
    new_run: Callable[..., tuple[Path, int]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path, run_id = new_run(method="RS-post", budget=5, **FOLDS)
    stored_models = collect_models(path, run_id, monkeypatch)
    with Document.open(path, writable=False) as document:
        prepared_run = prepare(document, run_id)
        history = load_history(document, run_id, prepared_run)
    numbers = [trial.number for trial in history.succeeded]
    pool = InlinePool(1, tmp_path, TrialLimits(), prepared_run.get_trial_data())
    repeated, notes = train_final_models(
        prepared_run, history, numbers, pool, lambda: False, folder=tmp_path
    )
    assert not notes
    assert [repeated[number].files for number in numbers]
    for number in numbers:
        X = np.ascontiguousarray(prepared_run.problem.X)
        for first, file in zip(stored_models[number], repeated[number].files, strict=True):
            stored_model, trained = pickle.loads(first), pickle.loads(file.read_bytes())
            assert stored_model.predict(X).tobytes() == trained.predict(X).tobytes()


def test_only_missing_models_are_retrained(
    new_run: Callable[..., tuple[Path, int]], tmp_path: Path
) -> None:
    path, run_id = new_run(method="RS-post", budget=3, **FOLDS)
    with Document.open(path) as document:
        Engine(document, run_id, lambda progress: None, InlinePool).execute_run()
        prepared_run = prepare(document, run_id)
        history = load_history(document, run_id, prepared_run)
    first, second = [trial.number for trial in history.succeeded][:2]
    there = FoldModels(tmp_path, 3)
    folder = there.get_folder(7)
    assert folder is not None
    for fold in range(3):
        (folder / model_files.get_file_name(fold)).write_bytes(b"x")
    there.assign_files(7, first, succeeded=True)
    pool = InlinePool(1, tmp_path, TrialLimits(), prepared_run.get_trial_data())
    steps: list[tuple[int, int]] = []
    final_models, _ = train_final_models(
        prepared_run, history, [first, second], pool, lambda: False, folder=tmp_path,
        search_models=there,
        progress=lambda *step: steps.append(step),
    )  # fmt: skip
    assert final_models[first] == FinalModel(there.list_files(first))
    assert len(final_models[second].files) == len(steps) == 3


@pytest.mark.parametrize(("n_bytes", "is_large"), [(40, True), (10, False)])
def test_reason_distinguishes_oversized_and_lost_models(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, n_bytes: int, is_large: bool
) -> None:
    monkeypatch.setattr(model_files, "MAX_BYTES_PER_TRIAL", 30)
    there = FoldModels(tmp_path, 2)
    folder = there.get_folder(1)
    assert folder is not None
    (folder / "0.pkl").write_bytes(n_bytes * b"x")  # the second one was not written
    there.assign_files(1, 1, succeeded=True)
    note = model_files.TOO_LARGE_NOTE if is_large else model_files.VANISHED_NOTE
    assert there.explain_missing([1]) == note


def test_worst_non_member_models_are_removed_first(tmp_path: Path) -> None:
    history = History(np.array([0, 1]), 2)
    there = FoldModels(tmp_path, 1, max_bytes=25)
    for number, loss in enumerate([0.1, 0.4, 0.3, None], start=1):
        folder = there.get_folder(number)
        assert folder is not None
        (folder / "0.pkl").write_bytes(10 * b"x")
        predictions = None if loss is None else np.eye(2, dtype=np.float16)
        history.append(Trial(number, {}, number, loss, cause="" if loss else "x"), predictions)
        there.assign_files(number, number, succeeded=loss is not None)
    there.free_disk_space(history, members=[2])
    assert [bool(there.list_files(number)) for number in (1, 2, 3, 4)] == [True, True, False, False]
    assert len(list(tmp_path.iterdir())) == 2
    assert there.explain_missing([2, 3]) == model_files.TOO_LARGE_NOTE
    assert there.explain_missing([1, 2]) == model_files.VANISHED_NOTE  # they were kept
    assert there.explain_missing([2, 5]) == model_files.INTERRUPTED_NOTE  # from another session
    fork = FoldModels(tmp_path, 1, copied=4)
    assert fork.explain_missing([2, 4]) == model_files.FORKED_NOTE
    assert fork.explain_missing([2, 5]) == model_files.INTERRUPTED_NOTE
    assert FoldModels(None, 1).explain_missing([2]) == model_files.CLUSTER_NOTE


def test_resumed_run_reaches_same_result(
    new_run: Callable[..., tuple[Path, int]],
    run_inline: Callable[..., str],
    kill_after: Callable[[Path, int, int], None],
    recorded: Callable[[Path, int], list[Any]],
) -> None:
    uninterrupted, killed = new_run(budget=6, **FOLDS), new_run(budget=6, **FOLDS)
    assert run_inline(*uninterrupted) == "finished"
    kill_after(*killed, 3)
    assert run_inline(*killed) == "finished"
    assert recorded(*uninterrupted) == recorded(*killed)
    results = []
    for path, run_id in (uninterrupted, killed):
        with Document.open(path, writable=False) as document:
            result = document.runs.get(run_id).result
        assert result is not None
        results.append(replace(result, seconds=0.0, utilisation=None))
    assert results[0] == results[1]


def test_refit_trains_one_model_per_member_on_all_rows(
    new_run: Callable[..., tuple[Path, int]], run_inline: Callable[..., str]
) -> None:
    path, run_id = new_run(budget=4, **FOLDS)
    assert run_inline(path, run_id) == "finished"
    with Document.open(path) as document:
        result = refit_run(document, run_id, make_pool=InlinePool)
        trained = train(document, run_id, make_pool=InlinePool)
    assert result.refitted
    assert all(len(models) == 1 for models in trained.models)


def test_member_prediction_is_mean_of_fold_models(
    new_run: Callable[..., tuple[Path, int]], run_inline: Callable[..., str]
) -> None:
    path, run_id = new_run(budget=3, method="RS-post", **FOLDS)
    assert run_inline(path, run_id) == "finished"
    with Document.open(path, writable=False) as document:
        trained = train(document, run_id, make_pool=InlinePool)
        trials = document.trials.list_all(run_id)
    X = np.ascontiguousarray(trained.prepared_run.problem.X)
    members = zip(trained.ensemble.members, trained.models, trained.member_estimators, strict=True)
    for number, models, member in members:
        learner, _ = build_training(trained.prepared_run.space, trials[number - 1].configuration)
        together = predict_mean(models, learner, X, 2, 3)
        np.testing.assert_allclose(together, member.predict_proba(X), rtol=0, atol=1e-15)


def test_members_without_time_for_refit_keep_their_fold_models(
    new_run: Callable[..., tuple[Path, int]],
    run_inline: Callable[..., str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        RefitSelection,
        "select_members",
        lambda self, found, best, trials: (found, [found.members[0]], []),
    )
    monkeypatch.setattr(RefitSelection, "is_sufficient", lambda self, found, numbers: True)
    path, run_id = new_run(
        budget=6, seconds=3600.0, optional_refit=True, **FOLDS, **METHODS["probabilities"]
    )
    assert run_inline(path, run_id) == "finished"
    with Document.open(path, writable=False) as document:
        trained = train(document, run_id, make_pool=InlinePool)
        result = document.runs.get(run_id).result
    prepared_run, members = trained.prepared_run, trained.ensemble.members
    assert result is not None and result.refitted and trained.is_from_document
    assert [len(models) for models in trained.models] == [4, *[3] * (len(members) - 1)]
    assert len(members) > 1 and facts(result.notes[-1])["n_members"] == str(len(members))
    assert result.refitted_counts == (1, len(members))
    training = describe_training(prepared_run.settings, refitted=True, share=result.refitted_counts)
    assert facts(training)["count"] == 1
    test = prepared_run.split.test
    frame = make_raw_frame(trained, len(prepared_run.problem.y))
    labels = trained.estimator.predict(frame)[test]
    errors = labels != np.array(prepared_run.problem.classes)[prepared_run.problem.y[test]]
    assert result.test_error_ensemble == pytest.approx(errors.mean(), abs=1e-12)


@pytest.mark.parametrize(
    "plan", [FOLDS["plan"], SplitPlan(0.6, 0.2, 0.2)], ids=["folds", "hold-out"]
)
def test_optional_refit_is_averaged_with_fold_models(
    plan: SplitPlan, new_run: Callable[..., tuple[Path, int]], run_inline: Callable[..., str]
) -> None:
    path, run_id = new_run(
        budget=6,
        seconds=3600.0,
        optional_refit=True,
        refit=False,
        plan=plan,
        **METHODS["probabilities"],
    )
    n_folds = plan.folds or 1
    assert run_inline(path, run_id) == "finished"
    with Document.open(path, writable=False) as document:
        stored = train(document, run_id, make_pool=InlinePool)
        trials = document.trials.list_all(run_id)
        result = document.runs.get(run_id).result
    prepared_run = stored.prepared_run
    test = prepared_run.split.test
    X = np.ascontiguousarray(prepared_run.problem.X)
    members = zip(stored.ensemble.members, stored.models, stored.member_estimators, strict=True)
    for number, (refit, *folds), member in members:
        learner, _ = build_training(prepared_run.space, trials[number - 1].configuration)
        of_folds = predict_mean(folds, learner, X, 2, n_folds)
        mean = (predict_mean([refit], learner, X, 2, n_folds) + of_folds) / 2
        np.testing.assert_allclose(member.predict_proba(X), mean, rtol=0, atol=1e-15)
    assert result is not None and result.averaged_refit and stored.is_from_document
    assert [len(models) for models in stored.models] == [n_folds + 1] * len(stored.models)
    labels = stored.estimator.predict(make_raw_frame(stored, len(X)))[test]
    errors = labels != np.array(prepared_run.problem.classes)[prepared_run.problem.y[test]]
    assert result.test_error_ensemble == pytest.approx(errors.mean(), abs=1e-12)
    with Document.open(path) as document:
        document.ensembles.remove(run_id)
        repeated = train(document, run_id, make_pool=InlinePool)
        replaced = refit_run(document, run_id, make_pool=InlinePool)
        replacing = train(document, run_id, make_pool=InlinePool)
    for member, former in zip(repeated.member_estimators, stored.member_estimators, strict=True):
        assert np.array_equal(member.predict_proba(X), former.predict_proba(X))
    assert not repeated.is_from_document and not replaced.averaged_refit
    assert replaced.key != result.key
    assert [len(models) for models in replacing.models] == [1] * len(replacing.models)


def test_continued_run_averages_refits_and_earlier_models(
    new_run: Callable[..., tuple[Path, int]], run_inline: Callable[..., str]
) -> None:
    path, run_id = new_run(
        budget=6, seconds=3600.0, optional_refit=True, **FOLDS, **METHODS["probabilities"]
    )
    assert run_inline(path, run_id) == "finished"
    with Document.open(path) as document:
        document.runs.change_settings(run_id, {"budget": 7})
    assert run_inline(path, run_id) == "finished"
    with Document.open(path, writable=False) as document:
        trained = train(document, run_id, make_pool=InlinePool)
    assert trained.is_from_document and min(trained.ensemble.members) < 7
    assert {len(models) for models in trained.models} == {4}
