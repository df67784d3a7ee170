"""Time limits of runs: which trials start, which members are refitted, when runs end."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import pytest

from studio.analysis.summary import summarise_run
from studio.data.splits import SplitPlan
from studio.document.store import Document
from studio.ensembles.base import Ensemble
from studio.errors import OutOfTimeError, RunError
from studio.proposers.base import Suggestion, SuggestionContext
from studio.proposers.model_free import RandomSearch
from studio.runs import engine, searching
from studio.runs.clock import Slowdown
from studio.runs.finish import REFIT_TOO_LATE
from studio.runs.reserve import (
    FALLBACK_ROWS,
    FALLBACK_TIMEOUT,
    MAX_LATE_SECONDS,
    SHUTDOWN_SECONDS,
    RefitEstimate,
    RefitSelection,
    RefitTimeError,
    compute_makespan,
    select_refits_in_time,
)
from studio.runs.searching import SLOW_START_MESSAGE, SLOW_START_SECONDS
from studio.runs.settings import RunSettings
from studio.runs.time_limits import TimeLimits
from studio.trial import Trial
from tests.facts import facts

Make = Callable[..., tuple[Path, int]]
LoopMaker = Callable[..., tuple[Any, Any]]


def make_costs(trial: float, refit: float) -> Callable[[dict[str, Any]], float]:
    return lambda job: trial if job["kind"] == "evaluate" else refit


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("trial", [0.5, 4.0, 14.0])
def test_result_is_ready_at_time_limit(
    new_run: Make, make_search_loop: LoopMaker, workers: int, trial: float
) -> None:
    path, run_id = new_run(method="RS-post", budget=None, seconds=60.0)
    with Document.open(path) as document:
        loop, pool = make_search_loop(
            document, run_id, make_costs(trial, 1.3 * trial), workers=workers
        )
        assert loop.run() == "finished"
        summary = summarise_run(document, run_id)
    assert summary.seconds == pytest.approx(pool.now)
    assert 60 - 3 * trial - 3 < pool.now <= 60
    assert summary.utilisation is not None
    assert sum(summary.utilisation.values()) == pytest.approx(1)
    assert summary.members


def test_time_is_measured_from_start_of_command(new_run: Make, make_search_loop: LoopMaker) -> None:
    path, run_id = new_run(method="RS", budget=None, seconds=20.0)
    with Document.open(path) as document:
        loop, pool = make_search_loop(document, run_id, make_costs(1.0, 1.3))
        pool.now = 12.0  # reading took this long
        assert loop.run() == "finished"
    assert len(pool.submitted) < 8
    assert 17 < pool.now <= 20


@pytest.mark.slow
def test_busy_machine_reserves_more_time(new_run: Make, make_search_loop: LoopMaker) -> None:
    ends = []
    for factor in (1.0, 3.0, 100.0):
        path, run_id = new_run(method="RS", budget=None, seconds=20.0)
        with Document.open(path) as document:
            loop, pool = make_search_loop(document, run_id, make_costs(0.1, 0.0))
            loop._session.recorder.slowdown.factor = factor
            loop.run()
        ends.append(pool.submitted[-1][0])
    usual, slower, slowest = ends
    assert usual - slower == pytest.approx(2 * SHUTDOWN_SECONDS, abs=0.5)
    assert usual - slowest == pytest.approx(0.1 * 20, abs=0.5)


def test_slowdown_is_wall_time_over_cpu_time() -> None:
    slowdown = Slowdown()
    assert slowdown.factor == 1.0
    slowdown.add(0.2, 0.1)
    slowdown.add(0.4, 0.1)
    assert slowdown.factor == pytest.approx(3.0)
    slowdown.add(0.0, 10.0)
    assert slowdown.factor == 1.0


def test_trial_time_limit_reserves_time_for_refit(
    new_run: Make, make_search_loop: LoopMaker
) -> None:
    path, run_id = new_run(method="RS", budget=None, seconds=60.0)
    with Document.open(path) as document:
        loop, pool = make_search_loop(document, run_id, make_costs(10.0, 13.0))
        loop.run()
    begun, job, limits = pool.submitted[0]
    assert begun == 0
    assert limits.seconds is not None
    assert 60 / 3 < limits.seconds < 60 / 2
    assert job["seconds"] == pytest.approx(limits.seconds)


@pytest.mark.parametrize(("seconds", "n_reports"), [(1.0, 0), (SLOW_START_SECONDS + 1, 1)])
def test_slow_start_of_workers_is_reported_once(
    new_run: Make, make_search_loop: LoopMaker, seconds: float, n_reports: int
) -> None:
    path, run_id = new_run(method="RS", budget=2)
    with Document.open(path) as document:
        loop, pool = make_search_loop(document, run_id, make_costs(5.0, 5.0))
        pool.starting_seconds = seconds
        loop.run()
        reporter = loop._searching._session.reporter
    assert reporter.reports.count(SLOW_START_MESSAGE) == n_reports


@pytest.mark.slow
def test_search_uses_remaining_time_after_slow_start(
    new_run: Make, make_search_loop: LoopMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = 29.0
    # A trial's limit starts when a worker takes the job.
    monkeypatch.setattr(TimeLimits, "get_hard_limit", lambda self: None)

    def cost(job: dict[str, Any]) -> float:
        return 0.5 + (started if len(pool.submitted) == 1 else 0.0)

    def wait(timeout: float) -> Any:
        over = waited(timeout)
        ready = pool.now >= started
        pool.starting_seconds, pool.restart_seconds = (0.0, 28.0) if ready else (pool.now, 0.0)
        # A fit is timed from when a worker takes it, too.
        return [
            replace(each, seconds=0.5, result=replace(each.result, fit_seconds=0.5))
            for each in over
        ]

    path, run_id = new_run(method="RS", budget=None, seconds=60.0)
    with Document.open(path) as document:
        loop, pool = make_search_loop(document, run_id, cost)
        waited = pool.wait
        monkeypatch.setattr(pool, "wait", wait)
        loop.run()
    assert len(pool.submitted) > 10
    assert [job["max_rows"] for _, job, _ in pool.submitted if job["max_rows"]] == []


@pytest.mark.slow
def test_budget_in_trials_sets_no_time_limit(new_run: Make, make_search_loop: LoopMaker) -> None:
    path, run_id = new_run(method="RS", budget=3)
    with Document.open(path) as document:
        loop, pool = make_search_loop(document, run_id, make_costs(100.0, 100.0))
        assert loop.run() == "finished"
    assert [job["seconds"] for _, job, _ in pool.submitted] == [None] * 3
    assert {limits.seconds for _, _, limits in pool.submitted} == {300.0}


def test_at_least_one_trial_runs(new_run: Make, make_search_loop: LoopMaker) -> None:
    path, run_id = new_run(method="RS", budget=None, seconds=0.1)
    with Document.open(path) as document:
        loop, pool = make_search_loop(document, run_id, make_costs(2.0, 6.0))
        pool.now = 1.0
        assert loop.run() == "finished"
        summary = summarise_run(document, run_id)
    assert len(pool.submitted) == 1
    assert not pool.refitted
    assert summary.kept_reason == REFIT_TOO_LATE
    assert summary.test_error_ensemble is not None


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2, 3])
@pytest.mark.parametrize("seconds", [0.1, 1.2, 4.0, 10.0])
def test_short_time_limit_trains_one_trial_on_few_rows(
    new_run: Make,
    make_search_loop: LoopMaker,
    monkeypatch: pytest.MonkeyPatch,
    workers: int,
    seconds: float,
) -> None:
    monkeypatch.setattr(engine, "FALLBACK_ROWS", 20)  # below the table size, hence a note

    def cost(job: dict[str, Any]) -> float:
        return 0.2 if job["max_rows"] else 12.0 + 0.3 * (job["seed"] % 7)

    path, run_id = new_run(method="RS", budget=None, seconds=seconds)
    with Document.open(path) as document:
        loop, pool = make_search_loop(document, run_id, cost, workers=workers)
        pool.folds = True
        assert loop.run() == "finished"
        trials = document.trials.list_all(run_id)
        summary = summarise_run(document, run_id)
        result = document.runs.get(run_id).result
    ((begun, job),) = [(begun, job) for begun, job, _ in pool.submitted if job["max_rows"]]
    assert begun <= seconds
    assert job["max_rows"] == FALLBACK_ROWS
    assert [trial.loss is not None for trial in trials].count(True) == 1
    assert pool.now <= seconds + 1.5 * MAX_LATE_SECONDS
    assert summary.seconds == pytest.approx(pool.now)
    assert any("more time" in note for note in summary.notes)
    assert summary.test_error_ensemble is not None
    assert any("more time" in note for note in result.test_notes), "repeated with the answer"


@pytest.mark.slow
def test_fallback_model_is_not_refitted(
    new_run: Make, make_search_loop: LoopMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(searching, "FALLBACK_ROWS", 20)
    monkeypatch.setattr(engine, "FALLBACK_ROWS", 20)
    path, run_id = new_run(method="RS", budget=None, seconds=4.0)
    with Document.open(path) as document:
        loop, pool = make_search_loop(
            document, run_id, lambda job: 0.1 if job["max_rows"] else 50.0
        )
        assert loop.run() == "finished"
        summary = summarise_run(document, run_id)
    assert [job["max_rows"] for _, job, _ in pool.submitted if job["max_rows"]] == [20]
    assert not pool.refitted
    assert summary.kept_reason == REFIT_TOO_LATE
    assert pool.now <= 4.0


@pytest.mark.parametrize("refit", [True, False])
@pytest.mark.parametrize("late", [True, False])
def test_overlong_trial_is_killed_before_deadline(
    new_run: Make,
    make_search_loop: LoopMaker,
    monkeypatch: pytest.MonkeyPatch,
    refit: bool,
    late: bool,
) -> None:
    if late:  # its worker started late, so its limit also ends late
        monkeypatch.setattr(TimeLimits, "get_hard_limit", lambda self: None)
    path, run_id = new_run(method="RS", budget=None, seconds=30.0, refit=refit)
    with Document.open(path) as document:
        loop, pool = make_search_loop(
            document, run_id, lambda job: 0.3 if job["max_rows"] else 100.0
        )
        assert loop.run() == "finished"
        assert summarise_run(document, run_id).members
    assert pool.now <= 30.0 + 1.5 * MAX_LATE_SECONDS
    assert any(job["max_rows"] for _, job, _ in pool.submitted)


@pytest.mark.slow
def test_run_without_model_at_time_limit_ends(new_run: Make, make_search_loop: LoopMaker) -> None:
    path, run_id = new_run(method="RS", budget=None, seconds=6.0)
    with Document.open(path) as document:
        loop, pool = make_search_loop(document, run_id, make_costs(100.0, 100.0))
        with pytest.raises(RunError, match="trials finished") as error:
            loop.run()
        summary = summarise_run(document, run_id)
    assert (summary.failed, summary.not_finished) == (0, summary.trials)
    assert "failed" not in str(error.value), "as in the counts"
    assert pool.now <= 6.0 + FALLBACK_TIMEOUT


@pytest.mark.slow
@pytest.mark.parametrize("folds", [None, 4])
@pytest.mark.parametrize("starting", [0.0, 2 * MAX_LATE_SECONDS])
def test_engine_waits_for_last_trial_on_busy_machine(
    new_run: Make, make_search_loop: LoopMaker, folds: int | None, starting: float
) -> None:
    plan = SplitPlan(0.6, 0.2, 0.2, folds=folds)
    path, run_id = new_run(method="RS", budget=None, seconds=1.0, plan=plan)
    with Document.open(path) as document:
        loop, pool = make_search_loop(document, run_id, make_costs(0.8 * FALLBACK_TIMEOUT, 100.0))
        pool.starting_seconds = starting
        assert loop.run() == "finished"
        summary = summarise_run(document, run_id)
    (job,) = [job for _, job, _ in pool.submitted]
    assert job["max_rows"] == FALLBACK_ROWS
    assert job["seconds"] == max(MAX_LATE_SECONDS, starting)  # for early stopping
    assert summary.members


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_overlong_refit_is_cancelled(
    new_run: Make, make_search_loop: LoopMaker, workers: int
) -> None:
    path, run_id = new_run(method="RS", budget=None, seconds=20.0)
    with Document.open(path) as document:
        loop, pool = make_search_loop(document, run_id, make_costs(1.0, 60.0), workers=workers)
        assert loop.run() == "finished"
        summary = summarise_run(document, run_id)
    assert pool.now <= 20.0 + 1.5 * MAX_LATE_SECONDS
    assert summary.kept_reason == REFIT_TOO_LATE
    assert summary.members


@pytest.mark.parametrize(
    ("folds", "trial", "refit", "is_refitted"),
    [
        pytest.param(None, 2.0, 1.5, True, id="hold-out"),
        pytest.param(3, 2.0, 1.0, True, id="three folds"),
        pytest.param(8, 2.0, 0.5, False, id="eight folds, whose committee is as good"),
        pytest.param(None, 19.0, 20.0, False, id="more than a third of the time"),
        pytest.param(None, 2.0, 60.0, False, id="slower than predicted"),
    ],
)
def test_optional_refit_requires_benefit_and_short_duration(
    new_run: Make,
    make_search_loop: LoopMaker,
    folds: int | None,
    trial: float,
    refit: float,
    is_refitted: bool,
) -> None:
    path, run_id = new_run(
        method="RS-post",
        budget=None,
        seconds=60.0,
        refit=False,
        optional_refit=True,
        plan=SplitPlan(0.6, 0.2, 0.2, folds=folds),
    )
    with Document.open(path) as document:
        loop, pool = make_search_loop(document, run_id, make_costs(trial, refit))
        assert loop.run() == "finished"
        row, result = document.runs.get(run_id), document.runs.get(run_id).result
        members = document.trials.list_iterations(run_id)[-1].members
    assert result is not None
    assert result.refitted == RunSettings.from_row(row).refit == is_refitted
    assert [(each.trial, each.weight) for each in result.members] == list(members)
    assert result.test_error_ensemble is not None
    assert pool.now <= 60.0 * 1.05


def test_optional_refit_is_skipped_for_fallback_trial(
    new_run: Make, make_search_loop: LoopMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(searching, "FALLBACK_ROWS", 20)
    monkeypatch.setattr(engine, "FALLBACK_ROWS", 20)
    path, run_id = new_run(method="RS", budget=None, seconds=4.0, refit=False, optional_refit=True)
    with Document.open(path) as document:
        loop, pool = make_search_loop(
            document, run_id, lambda job: 0.1 if job["max_rows"] else 50.0
        )
        assert loop.run() == "finished"
    assert not pool.refitted


@dataclass(frozen=True)
class PredictingProposer(RandomSearch):
    """Predicts the duration of its trials, and stops in time."""

    key: ClassVar[str] = "foreseeing"
    seconds: float = 7.0
    raises: bool = False

    def suggest(self, context: SuggestionContext) -> Suggestion:
        if self.raises and context.seconds_left is not None and context.seconds_left < self.seconds:
            raise OutOfTimeError("Nothing is quick enough.")
        suggestion = super().suggest(context)
        return Suggestion(suggestion.configuration, suggestion.origin, seconds=self.seconds)


@pytest.mark.slow
@pytest.mark.parametrize("raises", [True, False])
def test_trial_predicted_to_exceed_deadline_is_not_started(
    new_run: Make, make_search_loop: LoopMaker, raises: bool
) -> None:
    path, run_id = new_run(method="RS", budget=None, seconds=60.0)
    with Document.open(path) as document:
        loop, pool = make_search_loop(
            document, run_id, make_costs(7.0, 2.0), proposer=PredictingProposer(raises=raises)
        )
        assert loop.run() == "finished"
        assert document.trials.count(run_id) == len(pool.submitted)  # none was stopped early
    assert all(job["seconds"] >= 7.0 for _, job, _ in pool.submitted)
    last = pool.submitted[-1][0] + 7.0
    assert min(pool.refitted) - last == pytest.approx(2.0)  # the run did not use all its time


@dataclass(frozen=True)
class PessimisticProposer(RandomSearch):
    """Overestimates durations until little time is left."""

    key: ClassVar[str] = "pessimist"
    ahead: bool = True

    def suggest(self, context: SuggestionContext) -> Suggestion:
        seconds_left = context.seconds_left
        assert seconds_left is not None
        if seconds_left < 5:
            raise OutOfTimeError("Nothing is quick enough.")
        suggestion = super().suggest(context)
        return Suggestion(
            suggestion.configuration, suggestion.origin, seconds=25.0 if seconds_left > 30 else 5.0
        )


@pytest.mark.slow
def test_early_finished_trials_allow_more_trials(
    new_run: Make, make_search_loop: LoopMaker
) -> None:
    path, run_id = new_run(method="RS", budget=None, seconds=60.0)
    with Document.open(path) as document:
        loop, pool = make_search_loop(
            document, run_id, make_costs(5.0, 2.0), proposer=PessimisticProposer()
        )
        assert loop.run() == "finished"
    assert len(pool.submitted) >= 10


@pytest.mark.slow
def test_resumed_run_after_time_limit_finishes_immediately(
    new_run: Make, make_search_loop: LoopMaker
) -> None:
    from studio.runs.engine import Engine

    path, run_id = new_run(method="RS", budget=None, seconds=60.0)
    with Document.open(path) as document:
        loop, _ = make_search_loop(document, run_id, make_costs(5.0, 5.0))
        loop.run()
        assert Engine(document, run_id, lambda progress: None).execute_run() == "finished"


def trials(*seconds: float) -> list[Trial]:
    return [Trial(n, {}, n, 0.1, fit_seconds=s) for n, s in enumerate(seconds, start=1)]


def test_members_without_refit_time_are_omitted_with_note() -> None:
    ensemble = Ensemble((1, 2, 3), (0.5, 0.3, 0.2), "mean")
    within = RefitSelection(
        RefitEstimate(factor=1.0, workers=1, closing_seconds=1.0), lambda: 11.0, 1.0
    )
    reduced_ensemble, numbers, notes = within.select_members(ensemble, 2, trials(6.0, 8.0, 3.0))
    assert numbers == [1, 3]
    assert reduced_ensemble.weights == pytest.approx((5 / 7, 2 / 7))
    assert "1 of 3" in notes[0] and "not be refitted" in notes[0]


def test_slightly_late_refit_of_one_member_is_allowed() -> None:
    ensemble = Ensemble((1, 2), (0.4, 0.6), "mean")
    within = RefitSelection(
        RefitEstimate(factor=1.0, workers=1, closing_seconds=1.0), lambda: 6.0, 1.0
    )
    reduced_ensemble, numbers, notes = within.select_members(ensemble, 1, trials(9.0, 8.0))
    assert (reduced_ensemble.members, numbers) == ((2,), [2])
    assert facts(notes[0]) == {"cheapest": "2"}
    within = RefitSelection(
        RefitEstimate(factor=1.0, workers=1, closing_seconds=1.0), lambda: 2.0, 1.0
    )
    with pytest.raises(RefitTimeError):
        within.select_members(ensemble, 1, trials(9.0, 8.0))


def test_refit_of_minority_weight_is_rejected() -> None:
    within = RefitSelection(
        RefitEstimate(factor=1.0, workers=1, closing_seconds=1.0), lambda: 6.0, 1.0
    )
    for weights, most in (((0.3, 0.3, 0.4), False), ((0.2, 0.2, 0.6), True)):
        ensemble = Ensemble((1, 2, 3), weights, "mean")
        if most:
            assert within.select_members(ensemble, 1, trials(9.0, 8.0, 2.0))[1] == [3]
            continue
        with pytest.raises(RefitTimeError):
            within.select_members(ensemble, 1, trials(9.0, 8.0, 2.0))


def test_committee_keeps_fold_models_with_little_time() -> None:
    within = RefitSelection(
        RefitEstimate(factor=0.0, workers=1, closing_seconds=1.0), lambda: 1.0, 1.0
    )
    ensemble = Ensemble((1, 2), (0.5, 0.5), "mean")
    assert within.select_members(ensemble, 1, trials(9.0, 8.0)) == (ensemble, [1, 2], [])


def test_reserve_grows_with_ensemble_up_to_share_of_time() -> None:
    ending = RefitEstimate(factor=1.0, workers=2, closing_seconds=1.0)
    three, few = trials(2.0, 2.0, 30.0), ((1, 0.5), (2, 0.5))
    assert ending.reserve(three, few, 1, 60.0) == pytest.approx(1 + 2 + 0.03)
    assert ending.reserve(three, few, 3, 60.0) == pytest.approx(1 + 2 + 0.03)
    assert ending.reserve(trials(30.0, 40.0), few, 2, 60.0) == pytest.approx(31.03)
    assert ending.reserve(three, (), None, 60.0) == 1.0


def test_optional_refit_requires_majority_of_weight() -> None:
    ending = RefitEstimate(factor=1.0, workers=1, closing_seconds=1.0, optional=True)
    some, members = trials(6.0, 8.0, 30.0), ((1, 0.4), (2, 0.2), (3, 0.4))
    assert ending.reserve(some, members, 1, 60.0) == pytest.approx(1 + 14 + 0.06)
    assert ending.reserve(some, members, 1, 30.0) == 1.0  # only trial 1, of weight 0.4, fits
    assert ending.get_max_trial_seconds(61.0) == 60.0
    ensemble = Ensemble((1, 2, 3), (0.4, 0.2, 0.4), "mean")
    within = RefitSelection(ending, lambda: 16.0, 1.0)
    assert within.select_members(ensemble, 1, some) == (ensemble, [1, 2], [])
    assert within.is_sufficient(ensemble, {1, 2}) and not within.is_sufficient(ensemble, {1})
    with pytest.raises(RefitTimeError):
        RefitSelection(ending, lambda: 12.0, 1.0).select_members(ensemble, 1, some)


def test_makespan_assigns_jobs_in_order() -> None:
    assert compute_makespan([3.0, 2.0, 2.0], 2) == pytest.approx(4.0)
    assert select_refits_in_time([1, 2, 3], {1: 3.0, 2: 9.0, 3: 4.0}.__getitem__, 8.0, 1) == [1, 3]
