"""A loop with a simulated clock and given durations of trials."""

import dataclasses
import math
import pickle
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from studio.document.store import Document
from studio.proposers.base import Proposer
from studio.runs.causes import Failure, make_time_limit_failure
from studio.runs.clock import RunClock, Slowdown
from studio.runs.engine import EngineLoop
from studio.runs.jobs import RefitResult, TrialOutcome
from studio.runs.limits import TrialLimits
from studio.runs.prepare import PreparedRun, prepare
from studio.runs.searching import RunContext
from studio.runs.worker_group import FinishedJob, Fold

Cost = Callable[[dict[str, Any]], float]


class SimulatedPool:
    """Simulated jobs with given durations and random predictions."""

    def __init__(
        self, prepared_run: PreparedRun, cost: Cost, size: int, *, apart: bool = False
    ) -> None:
        self.now = 0.0
        self.size = size
        self.uses_processes = apart
        self.shares_files = False
        self.current_folds: dict[int, Fold] = {}
        self.restart_seconds = 0.0
        self.starting_seconds = 0.0
        self.submitted: list[tuple[float, dict[str, Any], TrialLimits]] = []
        self.refitted: list[float] = []
        self.folds = False
        self._prepared = prepared_run
        self._cost = cost
        self._ends: dict[int, float] = {}
        self._jobs: dict[int, dict[str, Any]] = {}
        self._limits: dict[int, float] = {}

    def prepare_spare(self) -> None:
        pass

    def stage_array(self, name: str, array: Any) -> Path:
        return Path(name)

    def submit(self, job_id: int, job: dict[str, Any], limits: TrialLimits | None = None) -> None:
        if job["kind"] == "evaluate":
            assert limits is not None
            self.submitted.append((self.now, job, limits))
        begin = self.now
        if len(self._ends) >= self.size:
            begin = sorted(self._ends.values())[-self.size]
        self._limits[job_id] = (limits and limits.seconds) or math.inf
        self._ends[job_id] = begin + min(self._get_duration(job), self._limits[job_id])
        self._jobs[job_id] = job

    def _get_duration(self, job: dict[str, Any]) -> float:
        """Return the seconds of a job; too slow trials end after a fifth of them."""
        seconds = self._cost(job)
        return seconds / 5 if self._exceeds_limit(job) else seconds

    def _exceeds_limit(self, job: dict[str, Any]) -> bool:
        """Return whether a trial would exceed its time, if :attr:`folds` is set."""
        seconds_left = job.get("seconds")
        return self.folds and seconds_left is not None and self._cost(job) > 1.1 * seconds_left

    def wait(self, timeout: float) -> list[FinishedJob]:
        first = min(self._ends, key=lambda each: self._ends[each], default=None)
        if first is None or self._ends[first] > self.now + timeout:
            self.now += timeout
            return []
        self.now = max(self.now, self._ends.pop(first))
        job = self._jobs.pop(first)
        limit, seconds = self._limits.pop(first), self._get_duration(job)
        if seconds > limit:
            late = dataclasses.replace(
                make_time_limit_failure(TrialLimits(limit)), fit_seconds=limit
            )
            return [FinishedJob(first, late, limit)]
        if self._exceeds_limit(job):
            slow = Failure("It was too slow.", "Give it more time.", fit_seconds=seconds)
            return [FinishedJob(first, slow, seconds)]
        return [FinishedJob(first, self._result(job, seconds), seconds)]

    def cancel_all(self) -> None:
        self._ends.clear()

    def _result(self, job: dict[str, Any], seconds: float) -> TrialOutcome | RefitResult:
        split = self._prepared.split
        rng = np.random.default_rng(zlib.crc32(repr(sorted(job["configuration"].items())).encode()))

        def draw_sample(rows: int) -> Any:
            return rng.dirichlet(np.ones(2), rows)

        if job["kind"] == "refit":
            self.refitted.append(self.now)
            Path(job["pickle"]).write_bytes(pickle.dumps(None))
            return RefitResult((draw_sample(split.test.size),), fit_seconds=seconds)
        validation = draw_sample(split.validation.size).astype(np.float16)
        return TrialOutcome(
            validation, draw_sample(split.test.size).astype(np.float16), fit_seconds=seconds
        )


class SimulatedSlowdown(Slowdown):
    """A machine with a given load."""

    factor = 1.0


class QuietReporter:
    """A silent reporter that optionally stops after a number of trials."""

    def __init__(self, stop_after: int | None = None) -> None:
        self.stopping = False
        self.reports: list[str] = []
        self._stop_after = stop_after

    def report_message(self, message: str) -> None:
        self.reports.append(message)

    def report(self, progress: Any) -> None:
        if progress.trial is not None and progress.trial.number == self._stop_after:
            self.stopping = True


def make_search_loop(
    document: Document,
    run_id: int,
    cost: Cost,
    *,
    workers: int = 1,
    proposer: Proposer | None = None,
    apart: bool = False,
    stop_after: int | None = None,
) -> tuple[EngineLoop, SimulatedPool]:
    """Return a loop on a run, and its pool."""
    prepared_run = prepare(document, run_id, starts_run=True)
    if proposer is not None:
        method = dataclasses.replace(prepared_run.method, proposer=proposer)
        prepared_run = dataclasses.replace(prepared_run, method=method)
    pool = SimulatedPool(prepared_run, cost, workers, apart=apart)
    workshop = RunContext(
        document, run_id, prepared_run, pool, TrialLimits(300.0), document.path.parent
    )
    loop = EngineLoop(QuietReporter(stop_after), workshop, RunClock(0.0, lambda: pool.now))
    loop._session.recorder.slowdown = SimulatedSlowdown()
    return loop, pool
