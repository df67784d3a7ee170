"""Snapshots of past searches: the proposer repeats its suggestions."""

from collections.abc import Callable
from pathlib import Path

import pytest

from studio.analysis.surrogate.calibration import predict_one_step_ahead
from studio.analysis.surrogate.snapshot import START_NEXT, get_surrogate, load_snapshot
from studio.document.store import Document
from studio.phrases import Phrase
from tests.facts import facts

pytestmark = pytest.mark.slow

Make = Callable[..., tuple[Path, int]]


@pytest.mark.parametrize("method", ["BO-best", "EO-sqm", "ESMBO"])
def test_snapshot_reproduces_earlier_suggestion(finished_run: Make, method: str) -> None:
    path, run_id = finished_run(method=method, budget=8)
    check_suggestions(path, run_id)


def check_suggestions(path: Path, run_id: int) -> None:
    """Ask again for every suggestion of a run."""
    with Document.open(path, writable=False) as document:
        rows = document.trials.list_rows(run_id)
    trial_counts = {
        row.iteration.details["seen"]["after"] for row in rows if not row.trial.concluding
    }
    for after in sorted(trial_counts - {0}):
        snapshot = load_snapshot(path, run_id, after)
        assert snapshot.note == ""
        assert snapshot.context.size == snapshot.prepared_run.size
        suggestion = snapshot.prepared_run.method.proposer.suggest(snapshot.context)
        assert suggestion.configuration == snapshot.next_configuration


def test_snapshot_of_two_workers_includes_pending_trials(finished_run: Make) -> None:
    path, run_id = finished_run(method="BO-best", budget=8, workers=2)
    check_suggestions(path, run_id)
    with Document.open(path, writable=False) as document:
        rows = {
            row.iteration.details["seen"]["started"]: row
            for row in document.trials.list_rows(run_id)
        }
    compared = 0
    for started, row in rows.items():
        after = row.iteration.details["seen"]["after"]
        if after == 0:
            continue
        snapshot = load_snapshot(path, run_id, after)
        if snapshot.next_configuration == row.trial.configuration:
            assert len(snapshot.context.pending) == started - after
            compared += 1
    assert compared


def test_snapshot_of_next_suggestion_uses_last_recorded_time(finished_run: Make) -> None:
    path, run_id = finished_run(method="best", budget=3, seconds=600.0)
    with Document.open(path, writable=False) as document:
        lefts = [
            row.iteration.details["seen"]["seconds_left"]
            for row in document.trials.list_rows(run_id)
        ]
    assert 0.0 < lefts[2] < lefts[0] < 600.0
    assert load_snapshot(path, run_id, 3).context.seconds_left == lefts[2]
    assert load_snapshot(path, run_id, 0).context.seconds_left == lefts[0]


def test_snapshot_of_bandit_uses_budget_at_that_iteration(finished_run: Make, run_inline) -> None:
    path, run_id = finished_run(method="RB", budget=4)
    with Document.open(path) as document:
        document.runs.change_settings(run_id, {"budget": 6})
    run_inline(path, run_id)
    assert load_snapshot(path, run_id, 2).context.budget == 4
    assert load_snapshot(path, run_id, 5).context.budget == 6


def test_snapshot_caches_fitted_surrogate(finished_run: Make) -> None:
    path, run_id = finished_run(method="BO-best", budget=6)
    first, second = (get_surrogate(load_snapshot(path, run_id, 5)) for _ in range(2))
    assert first is second
    assert get_surrogate(load_snapshot(path, run_id, 4)) is not first


def test_snapshot_after_last_trial_has_no_suggestion(finished_run: Make) -> None:
    path, run_id = finished_run(method="BO-best", budget=4)
    snapshot = load_snapshot(path, run_id, None)
    assert snapshot.next_configuration is None
    assert snapshot.context.pending == ()


def test_finished_run_without_surrogate_counts_its_trials(finished_run: Make) -> None:
    path, run_id = finished_run(
        method="BO-best", budget=4, overrides={"proposer.initial": 6}, refit=False
    )
    reason = get_surrogate(load_snapshot(path, run_id, None))
    assert isinstance(reason, str)
    assert facts(reason) == {"count": "4"}, "of its trials, not of missing ones"
    earlier = get_surrogate(load_snapshot(path, run_id, 2))
    assert isinstance(earlier, str)
    assert facts(earlier) == {"count": "4"}, "of 6 after 2"
    assert facts(predict_one_step_ahead(path, run_id, None).reason) == {"count": "4"}


def test_snapshot_marks_random_suggestion(finished_run: Make) -> None:
    path, run_id = finished_run(method="SMAC", budget=6)
    with Document.open(path, writable=False) as document:
        origins = {row.trial.number: row.trial.origin for row in document.trials.list_rows(run_id)}
    for number, origin in origins.items():
        has_random_note = "drawn at random" in load_snapshot(path, run_id, number - 1).note
        assert has_random_note == (origin == "interleaved random")
    assert "interleaved random" in origins.values()


def test_snapshot_of_portfolio_start_has_surrogate(
    new_run: Make, run_inline: Callable[[Path, int], str]
) -> None:
    path, run_id = new_run(method="best", budget=3, refit=False)
    assert run_inline(path, run_id) == "finished"
    first, second = (load_snapshot(path, run_id, at) for at in (1, 2))
    assert first.note == second.note == START_NEXT
    reason = get_surrogate(first)
    assert isinstance(reason, str)
    assert facts(reason) == {"count": "1"}, "of how many trials are missing"
    assert "proven starts" in reason
    view = get_surrogate(second)
    assert not isinstance(view, str)
    assert view.observations.label == "ensemble loss"
    assert isinstance(view.observations.label, Phrase), "otherwise it stays English"
