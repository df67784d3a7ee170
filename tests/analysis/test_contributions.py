"""Contributions of members, compared with manual sums."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from studio.analysis.contributions import compute_contributions, load_contributions
from studio.analysis.what_if import compute_what_if
from studio.data.intervals.loss import compute_difference_interval
from studio.data.metrics.registry import get_metric
from studio.document.store import Document
from studio.ensembles.base import Ensemble, combine
from studio.runs.finish import compute_guess_error
from studio.runs.load import load_history
from studio.runs.prepare import PreparedRun, build_ensemble, prepare
from studio.trial import History, Trial

ERROR = get_metric("error", "binary")


def make_certain_predictions(labels: list[int]) -> Any:
    return np.eye(2, dtype=np.float16)[labels]


def what_if(test: dict[int, Any], ensemble: Ensemble, truth: list[int]) -> Any:
    """Return the contributions where validation and test rows are the same."""
    history = History(np.array(truth), 2)
    for number, predictions in test.items():
        loss = ERROR.compute_loss(np.array(truth), predictions)
        history.append(Trial(number, {}, 0, loss), predictions)
    rows = np.arange(len(truth))
    prepared = SimpleNamespace(
        split=SimpleNamespace(validation=rows, test=rows),
        problem=SimpleNamespace(y=np.array(truth), weights=None, classes=(0, 1)),
        metric=ERROR,
        get_weights=lambda _: None,
        get_units=lambda _: None,
        compute_loss=lambda _, predictions: ERROR.compute_loss(np.array(truth), predictions),
    )
    return compute_contributions(prepared, history, ensemble, test, 1)  # type: ignore[arg-type]


def test_contributions_of_votes_equal_leave_one_out_losses() -> None:
    truth = [0, 0, 1, 1]
    predictions_by_trial = {
        1: make_certain_predictions([0, 0, 1, 0]),
        2: make_certain_predictions([0, 1, 1, 1]),
        3: make_certain_predictions([1, 0, 0, 1]),
    }
    contributions = what_if(
        predictions_by_trial, Ensemble((1, 2, 3), (0.25, 0.5, 0.25), "vote"), truth
    )
    # Heaviest first; ties go to class 0. Whole: rows 0, 0, 1 right; row 1 is a tie for class 0.
    assert contributions.members.tolist() == [2, 1, 3]
    assert contributions.weights.tolist() == [0.5, 0.25, 0.25]
    assert contributions.validation == contributions.test == 0.0
    assert contributions.member_validation_losses.tolist() == [0.25, 0.25, 0.5]
    # Without 2: 1 and 3 vote alike. Row 0: tie, 0. Row 1: 0. Row 2: tie, 0, wrong. Row 3: tie, 0,
    # wrong. Without 1 or 3: 2 decides, wrong in row 1.
    assert contributions.without_validation.tolist() == [0.5, 0.25, 0.25]
    assert contributions.without_test.tolist() == [0.5, 0.25, 0.25]
    assert contributions.best_single_trial == 1
    assert contributions.difference is not None
    assert contributions.difference[0] <= -0.25 <= 0 < contributions.difference[1], (
        "one row of four is no evidence"
    )


def test_contribution_of_single_member_is_undefined() -> None:
    contributions = what_if(
        {1: make_certain_predictions([0, 1])}, Ensemble.from_single_trial(1), [0, 0]
    )
    assert (contributions.validation, contributions.member_test_losses.tolist()) == (0.5, [0.5])
    assert np.isnan(contributions.without_validation).all()
    assert contributions.difference is None, "the ensemble is the single model"


def test_contribution_intervals_resample_same_rows() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(2, size=400)
    one = make_certain_predictions(list(np.where(rng.random(400) < 0.3, 1 - truth, truth)))
    other = one.copy()
    assert compute_difference_interval(ERROR, truth, one, other) == (0.0, 0.0)
    wrong_rows = np.flatnonzero(one.argmax(axis=1) != truth)[:40]
    other[wrong_rows] = other[
        wrong_rows, ::-1
    ]  # 40 of 400 rows corrected: significantly better by 10 points
    interval = compute_difference_interval(ERROR, truth, other, one)
    assert interval is not None
    assert interval[0] < -0.1 < interval[1] < -0.05


def test_undefined_loss_has_no_interval() -> None:
    truth, broken = np.zeros(6), np.full(6, np.nan)
    assert (
        compute_difference_interval(get_metric("rmse", "regression"), truth, broken, truth) is None
    )


@pytest.mark.slow
@pytest.mark.parametrize("builder", ["greedy", "stacking"])
def test_contributions_use_weights_of_result(
    finished_run: Callable[..., tuple[Path, int]], builder: str
) -> None:
    path, run_id = finished_run(method="ESMBO", budget=6, overrides={"ensemble": builder})
    with Document.open(path, writable=False) as document:
        prepared_run = prepare(document, run_id)
        history = load_history(document, run_id, prepared_run)
        rows = document.trials.list_iterations(run_id)
        result = document.runs.get(run_id).result
    assert result is not None
    contributions = load_contributions(path, run_id)
    assert dict(
        zip(contributions.members.tolist(), contributions.weights.tolist(), strict=True)
    ) == (pytest.approx(result.weights))
    earlier = load_contributions(path, run_id, 3)
    assert max(earlier.members) <= 3
    assert earlier.validation == pytest.approx(rows[2].ensemble_validation)
    assert earlier.test == pytest.approx(rows[2].ensemble_test)
    low, high = rows[2].details["gap"]
    assert low <= earlier.test - earlier.validation <= high
    ensemble = build_ensemble(prepared_run, history.take_first(3))
    if len(ensemble.members) > 1:
        first = int(earlier.members[0])
        others = ensemble.select_members(set(ensemble.members) - {first})
        loss_without_member = prepared_run.compute_loss(
            prepared_run.split.validation, combine(history.get_predictions, others)
        )
        assert earlier.without_validation[0] == pytest.approx(loss_without_member)


def test_contributions_without_model_give_reason(new_run: Callable[..., tuple[Path, int]]) -> None:
    path, run_id = new_run()
    contributions = load_contributions(path, run_id)
    assert "No model" in contributions.reason
    assert contributions.members.size == 0


@pytest.mark.parametrize(
    ("metric", "classes", "y", "weights", "answer"),
    [
        ("brier", ("no", "yes"), [0, 0, 0, 1, 1, 1], None, [0.75, 0.25]),
        ("brier", ("no", "yes"), [0, 0, 0, 1, 1, 1], [1, 1, 1, 3, 9, 9], [0.5, 0.5]),
        ("rmse", (), [1, 2, 3, 6, 9, 9], None, 3.0),
        ("rmse", (), [1, 2, 3, 6, 9, 9], [0, 0, 0, 0, 9, 9], 3.0),
        ("mae", (), [1, 2, 3, 6, 9, 9], None, 2.5),
        ("mae", (), [1, 2, 3, 6, 9, 9], [1, 1, 1, 9, 9, 9], 6.0),
        ("rmsle", (), [1, 3, 7, 15, 9, 9], None, 2**2.5 - 1),
        ("pinball-0.9", (), [1, 2, 3, 6, 9, 9], None, 6.0),
    ],
)
def test_baseline_is_best_constant_of_non_test_rows(
    metric: str, classes: tuple[str, ...], y: list[int], weights: list[int] | None, answer: Any
) -> None:
    scored_predictions: list[Any] = []
    weighed = None if weights is None else np.array(weights, dtype=float)
    prepared = SimpleNamespace(
        split=SimpleNamespace(test=np.array([4, 5])),
        problem=SimpleNamespace(y=np.array(y), n_classes=len(classes)),
        metric=get_metric(metric, "binary" if classes else "regression"),
        get_weights=lambda rows: None if weighed is None else weighed[rows],
        compute_loss=lambda rows, given: scored_predictions.append(given.tolist()) or 0.25,
    )
    prepared.compute_best_constant = partial(PreparedRun.compute_best_constant, prepared)
    prepared.predict_constant = partial(PreparedRun.predict_constant, prepared)
    assert compute_guess_error(prepared) == 0.25  # type: ignore[arg-type]
    assert scored_predictions == [[pytest.approx(answer)] * 2]


@pytest.mark.slow
def test_last_iteration_of_finished_run_equals_result(
    finished_run: Callable[..., tuple[Path, int]],
) -> None:
    path, run_id = finished_run(method="RS-ES", budget=6, refit=True, keep=True)
    last, final = (load_contributions(path, run_id, at) for at in (1_000_000, None))
    for name in ("adds_validation", "adds_test", "member_test_losses"):
        np.testing.assert_array_equal(getattr(last, name), getattr(final, name))


@pytest.mark.slow
def test_last_iteration_contains_members_omitted_by_refit(
    finished_run: Callable[..., tuple[Path, int]],
) -> None:
    path, run_id = finished_run(method="RS-ES", budget=6, refit=True, keep=True)
    before = load_contributions(path, run_id, 6)
    with Document.open(path) as document:
        result = document.runs.get(run_id).result
        assert result is not None and len(result.members) > 2
        left_out, *others = result.members
        total = sum(each.weight for each in others)
        members = tuple(replace(each, weight=each.weight / total) for each in others)
        document.runs.set_result(run_id, replace(result, members=members))
    last, final = (load_contributions(path, run_id, at) for at in (6, None))
    assert left_out.trial in last.members and left_out.trial not in final.members
    assert last.members.tolist() == before.members.tolist()
    np.testing.assert_array_equal(last.adds_validation, before.adds_validation)
    # As the what-if ensemble says once the member is unticked.
    for number, adds in zip(last.members.tolist(), last.adds_validation.tolist(), strict=True):
        rest = {m: w for m, w in zip(last.members, last.weights, strict=True) if m != number}
        losses = compute_what_if(path, run_id, 6, rest)
        assert losses.validation - losses.actual_validation == pytest.approx(adds)
