"""Runs that end with one more trial (thesis 3.4)."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from studio.document.results import Result
from studio.document.store import Document
from studio.errors import UsageError
from studio.proposers.base import Suggestion, SuggestionContext
from studio.proposers.bayesian import BayesianOptimisation
from studio.runs.causes import Failure
from studio.runs.compatible import check_settings
from studio.runs.engine import Engine
from studio.runs.inline import InlinePool
from studio.runs.settings import RunSettings, TableSource
from studio.runs.worker_group import FinishedJob
from studio.trial import Trial

pytestmark = pytest.mark.slow

Make = Callable[..., tuple[Path, int]]
SETTINGS = {"method": "BO-best", "overrides": {"ensemble": "posterior-mean"}, "budget": 4}


def list_trials(path: Path, run_id: int) -> tuple[tuple[Trial, ...], Result]:
    with Document.open(path, writable=False) as document:
        result = document.runs.get(run_id).result
        assert result is not None
        return document.trials.list_all(run_id), result


def test_concluding_trial_does_not_count_towards_budget(
    new_run: Make, run_inline: Callable[..., str]
) -> None:
    lines: list[str] = []
    path, run_id = new_run(**SETTINGS)
    state = run_inline(path, run_id, lambda progress: lines.append(progress.format_line()))
    trials, result = list_trials(path, run_id)
    assert state == "finished"
    assert [trial.concluding for trial in trials] == [False] * 4 + [True]
    assert result.weights == {5: 1.0}
    assert (result.trials, result.concluding) == (5, 1)
    assert "   4/4" in lines[-2]
    assert "5 (final choice)" in lines[-1]
    assert run_inline(path, run_id) == "finished"
    assert len(list_trials(path, run_id)[0]) == 5


@pytest.mark.parametrize("number", [2, 4, 5])
def test_resumed_run_concludes_identically(
    new_run: Make,
    run_inline: Callable[..., str],
    kill_after: Callable[..., None],
    recorded: Callable[..., list[Any]],
    number: int,
) -> None:
    path, run_id = new_run(**SETTINGS)
    assert run_inline(path, run_id) == "finished"
    other, other_id = new_run(**SETTINGS)
    kill_after(other, other_id, number)
    assert run_inline(other, other_id) == "finished"
    assert recorded(path, run_id) == recorded(other, other_id)
    assert list_trials(path, run_id)[1].members == list_trials(other, other_id)[1].members


def test_larger_budget_continues_and_concludes_again(
    new_run: Make, run_inline: Callable[..., str]
) -> None:
    path, run_id = new_run(**{**SETTINGS, "budget": 3})
    assert run_inline(path, run_id) == "finished"
    with Document.open(path) as document:
        document.requests.post(run_id, "budget", 4)
    assert run_inline(path, run_id) == "finished"
    trials, result = list_trials(path, run_id)
    assert [trial.concluding for trial in trials] == [False] * 3 + [True, False, True]
    assert result.weights == {6: 1.0}


class FailingJobPool(InlinePool):
    """Fails the job with a number."""

    failing = 5

    def wait(self, timeout: float) -> list[FinishedJob]:
        return [
            FinishedJob(finished_job.job_id, Failure("It failed.", ""))
            if finished_job.job_id == self.failing
            else finished_job
            for finished_job in super().wait(timeout)
        ]


def test_failed_conclusion_falls_back_to_validation_best(new_run: Make) -> None:
    path, run_id = new_run(**SETTINGS)
    pools: list[FailingJobPool] = []

    def make_pool(*given: Any) -> FailingJobPool:
        pools.append(FailingJobPool(*given))
        return pools[-1]

    def tell(progress: Any) -> None:
        if progress.trial is not None and progress.trial.concluding:
            pools[0].failing = -1  # the refit may also have this number

    with Document.open(path) as document:
        assert Engine(document, run_id, tell, make_pool).execute_run() == "finished"
    trials, result = list_trials(path, run_id)
    assert trials[-1].concluding
    assert trials[-1].status == "failed"
    best = min(trials[:-1], key=lambda trial: (trial.loss, trial.number))
    assert result.weights == {best.number: 1.0}


def test_run_stopped_during_conclusion_can_be_continued(
    new_run: Make, run_inline: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path, run_id = new_run(**SETTINGS)
    conclude = BayesianOptimisation.conclude
    with Document.open(path) as document:
        engine = Engine(document, run_id, lambda progress: None, InlinePool)

        def stop(self: BayesianOptimisation, context: SuggestionContext) -> Suggestion | None:
            engine.stop()
            return conclude(self, context)

        monkeypatch.setattr(BayesianOptimisation, "conclude", stop)
        assert engine.execute_run() == "stopped"
        assert document.trials.count(run_id) == 4
    monkeypatch.undo()
    assert run_inline(path, run_id) == "finished"
    assert list_trials(path, run_id)[0][-1].concluding


def test_conclusion_is_allowed_after_time_limit(
    new_run: Make, run_inline: Callable[..., str]
) -> None:
    path, run_id = new_run(**{**SETTINGS, "budget": None, "seconds": 0.4})
    assert run_inline(path, run_id) == "finished"
    trials, result = list_trials(path, run_id)
    assert [trial.concluding for trial in trials].count(True) == 1
    assert trials[-1].concluding
    assert result.members[0].trial == trials[-1].number


def test_posterior_mean_requires_surrogate(small_table: Path) -> None:
    settings = RunSettings(
        method="RS",
        overrides={"ensemble": "posterior-mean"},
        source=TableSource(path=str(small_table)),
    )
    with pytest.raises(UsageError, match="has none"):
        check_settings(settings)
