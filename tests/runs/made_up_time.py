"""A loop on a clock that the test moves: trials last as long as the test says."""

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
from studio.runs.causes import Failure, too_slow
from studio.runs.clock import Clock, Slowdown
from studio.runs.engine import Loop
from studio.runs.jobs import Refitted, TrialOutcome
from studio.runs.limits import Limits
from studio.runs.prepare import Prepared, prepare
from studio.runs.session import RunContext
from studio.runs.worker_group import Finished, Fold

Cost = Callable[[dict[str, Any]], float]


class MadeUpPool:
    """Jobs end when their time has come; what they predict is drawn by their seed."""

    def __init__(self, prepared: Prepared, cost: Cost, size: int, *, apart: bool = False) -> None:
        self.now = 0.0
        self.size = size
        self.apart = apart
        self.near = False
        self.at_fold: dict[int, Fold] = {}
        self.restart_seconds = 0.0
        self.starting_seconds = 0.0
        self.submitted: list[tuple[float, dict[str, Any], Limits]] = []
        self.stood_by = False
        self.refitted: list[float] = []
        self.folds = False
        self._prepared = prepared
        self._cost = cost
        self._ends: dict[int, float] = {}
        self._jobs: dict[int, dict[str, Any]] = {}
        self._limits: dict[int, float] = {}

    def stand_by(self) -> None:
        self.stood_by = True

    def stage(self, name: str, array: Any) -> Path:
        return Path(name)

    def submit(self, job_id: int, job: dict[str, Any], limits: Limits | None = None) -> None:
        if job["kind"] == "evaluate":
            assert limits is not None
            self.submitted.append((self.now, job, limits))
        begin = self.now
        if len(self._ends) >= self.size:
            begin = sorted(self._ends.values())[-self.size]
        self._limits[job_id] = (limits and limits.seconds) or math.inf
        self._ends[job_id] = begin + min(self._lasts(job), self._limits[job_id])
        self._jobs[job_id] = job

    def _lasts(self, job: dict[str, Any]) -> float:
        """Return the seconds of a job; a trial that is too slow is given up after a fifth."""
        seconds = self._cost(job)
        return seconds / 5 if self._gives_up(job) else seconds

    def _gives_up(self, job: dict[str, Any]) -> bool:
        """Whether a trial would not end in its time; only looked for where :attr:`folds` is set."""
        left = job.get("seconds")
        return self.folds and left is not None and self._cost(job) > 1.1 * left

    def wait(self, timeout: float) -> list[Finished]:
        first = min(self._ends, key=lambda each: self._ends[each], default=None)
        if first is None or self._ends[first] > self.now + timeout:
            self.now += timeout
            return []
        self.now = max(self.now, self._ends.pop(first))
        job = self._jobs.pop(first)
        limit, seconds = self._limits.pop(first), self._lasts(job)
        if seconds > limit:
            late = dataclasses.replace(too_slow(Limits(limit)), fit_seconds=limit)
            return [Finished(first, late, limit)]
        if self._gives_up(job):
            slow = Failure("It was too slow.", "Give it more time.", fit_seconds=seconds)
            return [Finished(first, slow, seconds)]
        return [Finished(first, self._result(job, seconds), seconds)]

    def cancel_all(self) -> tuple[int, ...]:
        ids = tuple(self._ends)
        self._ends.clear()
        return ids

    def _result(self, job: dict[str, Any], seconds: float) -> TrialOutcome | Refitted:
        split = self._prepared.split
        rng = np.random.default_rng(zlib.crc32(repr(sorted(job["configuration"].items())).encode()))

        def drawn(rows: int) -> Any:
            return rng.dirichlet(np.ones(2), rows)

        if job["kind"] == "refit":
            self.refitted.append(self.now)
            Path(job["pickle"]).write_bytes(pickle.dumps(None))
            return Refitted((drawn(split.test.size),), fit_seconds=seconds)
        validation = drawn(split.validation.size).astype(np.float16)
        return TrialOutcome(
            validation, drawn(split.test.size).astype(np.float16), fit_seconds=seconds
        )


class MadeUpSlowdown(Slowdown):
    """A machine that is as busy as the test says."""

    factor = 1.0


class Quiet:
    """Starts a loop and prints nothing; stops it after a number of trials, if one is given."""

    def __init__(self, stop_after: int | None = None) -> None:
        self.stopping = False
        self.said: list[str] = []
        self._stop_after = stop_after

    def say(self, message: str) -> None:
        self.said.append(message)

    def report(self, progress: Any) -> None:
        if progress.trial is not None and progress.trial.number == self._stop_after:
            self.stopping = True


def loop_of(
    document: Document,
    run_id: int,
    cost: Cost,
    *,
    workers: int = 1,
    proposer: Proposer | None = None,
    apart: bool = False,
    stop_after: int | None = None,
) -> tuple[Loop, MadeUpPool]:
    """Return a loop on a run, and its pool."""
    prepared = prepare(document, run_id, begins=True)
    if proposer is not None:
        method = dataclasses.replace(prepared.method, proposer=proposer)
        prepared = dataclasses.replace(prepared, method=method)
    pool = MadeUpPool(prepared, cost, workers, apart=apart)
    workshop = RunContext(document, run_id, prepared, pool, Limits(300.0), document.path.parent)
    loop = Loop(Quiet(stop_after), workshop, Clock(0.0, lambda: pool.now))
    loop._session.recorder.slowdown = MadeUpSlowdown()
    return loop, pool
