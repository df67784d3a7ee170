"""Suspension by Ctrl+Z, SIGSTOP or sleep does not reduce a run's trials or time."""

import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from studio.awake_clock import GAP_SECONDS, AwakeClock
from studio.document.store import Document
from studio.runs import causes
from studio.runs.causes import Failure
from studio.runs.clock import RunClock
from studio.runs.jobs import TrialOutcome
from studio.runs.limits import TrialLimits
from studio.runs.pool import WorkerWatch
from studio.runs.requests import RequestQueue
from studio.runs.settings import RunSettings
from studio.runs.worker_group import WorkerGroup, WorkerJob, WorkerProcess

Make = Callable[..., tuple[Path, int]]

ANSWER = ({"kind": "result", "job": 7, "peak": 0, "retire": False,
           "result": {"measured": {"fit_seconds": 1.0}, "note": ""}},
          {"validation": np.full((12, 2), 0.5)})  # fmt: skip


class _LateWorker:
    """A worker with an unread answer at its time limit."""

    number, is_ready, has_begun, silent_since, peak, started_at = 1, True, True, None, 0, 0.0
    terminating = False

    def __init__(self, group: WorkerGroup, answer: Any) -> None:
        self.job: WorkerJob | None = WorkerJob(7, {}, TrialLimits(3.0), 0)
        self.process = SimpleNamespace(poll=lambda: None, pid=0)
        self._group, self._answer = group, answer

    def is_overdue(self) -> bool:
        return True

    def expects_answer_to(self, job_id: int) -> bool:
        return WorkerProcess.expects_answer_to(cast("WorkerProcess", self), job_id)

    def kill(self, patience: float) -> None:
        assert self.terminating, "it gets no other job meanwhile"

    def drain(self, patience: float) -> None:
        if self._answer is not None:
            self._group.receive(cast("WorkerProcess", self), self._answer)

    def close(self) -> bool:
        return True


@pytest.mark.parametrize("answer", [ANSWER, None])
def test_pending_reply_is_read_before_timeout(answer: Any) -> None:
    group = WorkerGroup(cast("Any", None), 1)
    worker: Any = _LateWorker(group, answer)
    group.workers = [worker]
    WorkerWatch(group.changed, lambda: group.workers, group.reap)._check_worker(worker)
    assert group.workers == []
    [(job_id, result)] = [(each.job_id, each.result) for each in group.finished]
    assert job_id == 7
    if answer is None:
        assert isinstance(result, Failure)
        assert result.cause == causes.make_time_limit_failure(TrialLimits(3.0)).cause
    else:
        assert isinstance(result, TrialOutcome)


def test_suspension_does_not_consume_time_budget(new_run: Make) -> None:
    now = 0.0
    awake = AwakeClock(lambda: now, lambda: 0.0)
    clock = RunClock(None, awake)
    path, run_id = new_run(seconds=60.0)
    with Document.open(path) as document:
        settings = RunSettings.from_row(document.runs.get(run_id))
        requests = RequestQueue(document, run_id, settings, clock.read_seconds)
        document.requests.post(run_id, "pause", None)
        requests.poll()
        now = 3600.0
        document.requests.post(run_id, "continue", None)
        requests.poll()
    assert requests.paused_seconds == pytest.approx(GAP_SECONDS)
    assert clock.get_seconds_worked(requests.paused_seconds) == pytest.approx(0.0)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="no signal suspends a process there")
@pytest.mark.parametrize("whole", [False, True], ids=["the engine alone", "with its workers"])
def test_trials_survive_suspension(hostile_path: None, tmp_path: Path, whole: bool) -> None:
    from suspending import run_suspended_trials

    outcomes = run_suspended_trials(tmp_path, workers=2, limit=3, jobs=5, away=5.0, whole=whole)
    assert [cause for cause, _ in outcomes.values()] == [""] * 5
    # The refit's duration is predicted from those of the trials.
    assert max(seconds for _, seconds in outcomes.values()) < 3.0
