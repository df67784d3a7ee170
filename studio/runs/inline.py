"""Training within this process, one job after another, hence without limits.

Intended for small data in Python, where starting workers would take longer than all fits.
"""

import random
import threading
import warnings
from collections import deque
from pathlib import Path
from typing import Any, Self

import numpy as np

from studio.arrays import AnyArray
from studio.awake_clock import read_awake_seconds
from studio.learners.choice import choose_learner
from studio.phrases import phrase
from studio.runs.causes import Failure, make_exception_failure
from studio.runs.evaluate import execute_job
from studio.runs.jobs import RefitResult, TrialOutcome
from studio.runs.limits import TrialLimits
from studio.runs.staging import TrialData, save_array
from studio.runs.worker_group import FinishedJob, Fold

_NO_LIMITS = TrialLimits()


class InlinePool:
    """A pool (:class:`studio.runs.pool.Pool`) without processes.

    A fit that hangs or crashes affects this process, and time and memory are not limited;
    :class:`studio.runs.pool.WorkerPool` avoids both. numpy's global random state is restored after
    every job.

    Args:
        workers, limits: Ignored: one job at a time.
        scratch: An existing folder; the caller removes it.
    """

    def __init__(self, workers: int, scratch: Path, limits: TrialLimits, data: TrialData) -> None:
        del workers, limits  # no parallelism and no limits in this process
        self.size = 1
        self.restart_seconds = 0.0
        self.starting_seconds = 0.0
        self.uses_processes = False
        self.shares_files = True
        self.current_folds: dict[int, Fold] = {}  # never checked during training
        self._scratch = scratch
        self._data = data
        self._queue: deque[tuple[int, dict[str, Any]]] = deque()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Drop queued jobs."""
        self._queue.clear()

    def prepare_spare(self) -> None:
        """Do nothing: no process is killed with its job."""

    def stage_array(self, name: str, array: AnyArray) -> Path:
        """Write an array of any shape for jobs, and return the file's path."""
        path = self._scratch / f"{name}.npy"
        save_array(path, array)
        return path

    def submit(self, job_id: int, job: dict[str, Any], limits: TrialLimits | None = None) -> None:
        """Queue a job; :meth:`wait` executes it."""
        del limits
        self._queue.append((job_id, job))

    def wait(self, timeout: float) -> list[FinishedJob]:
        """Execute the first queued job, however long it takes, and return it."""
        del timeout
        if not self._queue:
            return []
        job_id, job = self._queue.popleft()
        start = read_awake_seconds()
        result = self._run_job(job)
        return [FinishedJob(job_id, result, read_awake_seconds() - start)]

    def cancel_all(self) -> None:
        """Drop queued jobs; none runs between two calls."""
        self._queue.clear()

    def _run_job(self, job: dict[str, Any]) -> TrialOutcome | RefitResult | Failure:
        title = phrase("The learner")
        python_state, legacy = random.getstate(), np.random.get_state()  # noqa: NPY002
        random.seed(job["seed"])
        np.random.seed(job["seed"])  # noqa: NPY002 - for learners that use the global state
        try:
            with _QuietWarnings():
                learner, choice = choose_learner(job["configuration"], job["sets"])
                title = learner.get_short_title()
                return execute_job(self._data, learner, choice, job)
        except Exception as error:  # noqa: BLE001 - a learner may raise any exception
            return make_exception_failure(title, error, _NO_LIMITS)
        finally:
            random.setstate(python_state)
            np.random.set_state(legacy)  # noqa: NPY002


class _QuietWarnings(warnings.catch_warnings):
    """Suppress learners' warnings, as in worker processes, in the main thread only.

    Filters are global to the process, so they are only changed in the main thread.
    """

    def __enter__(self) -> Any:
        log = super().__enter__()
        if threading.current_thread() is threading.main_thread():
            warnings.simplefilter("ignore")
        return log
