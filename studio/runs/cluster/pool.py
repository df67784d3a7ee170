"""A pool whose jobs are executed by a Dask cluster: the engine's side.

On the cluster's machines each thread works on one job at a time. A Dask worker's threads cannot be
stopped, and exceeding its memory limit ends all of its jobs, so it passes each job to a separate
worker process on the same machine, under the limits of a trial.
"""

import contextlib
import secrets
import threading
import time
from collections.abc import Mapping
from concurrent.futures import CancelledError
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

import numpy as np

from studio.arrays import AnyArray
from studio.errors import RunError
from studio.phrases import phrase
from studio.runs.causes import RUN_CONTINUES, Failure
from studio.runs.cluster.connection import LOST_WORKER_ERRORS, Connection, import_distributed
from studio.runs.jobs import RefitResult, TrialOutcome
from studio.runs.limits import TrialLimits, get_memory_limit
from studio.runs.pool import LEARNERS_MODULE, WorkerPool
from studio.runs.staging import TrialData, save_array
from studio.runs.worker_group import MAX_RETRIES_AFTER_KILL, FinishedJob, Fold
from studio.scratch import make_scratch_folder, recreate

TICK_SECONDS = 0.5
"""Interval at which a queued job checks for cancellation."""


@dataclass(frozen=True)
class JobSpec:
    """A job sent to a Dask worker.

    Attributes:
        run: Identifies the engine's run, to distinguish jobs of different engines.
        job: A job of :mod:`studio.runs.jobs`; paths on the engine's machine represent arrays and
            files.
        arrays: The paths that represent arrays, which are sent with the job.
        memory: Memory limit of the job in bytes; ``None`` for a share of the machine's.
        learners: The module whose ``REGISTRY`` lists the learners.
    """

    run: str
    job: Mapping[str, Any]
    arrays: tuple[str, ...]
    seconds: float | None
    memory: int | None
    learners: str


@dataclass(frozen=True)
class JobAnswer:
    """The outcome of a job (``None`` if it was cancelled), and its file, if any."""

    result: TrialOutcome | RefitResult | Failure | None
    pickle: bytes = b""


class _ThreadWorker:
    """One thread's worker process for one run, with the run's data in a folder."""

    def __init__(self, spec: JobSpec, data: TrialData, limits: TrialLimits) -> None:
        self.run = spec.run
        self.cancelled = threading.Event()
        self._exit_stack = ExitStack()
        self.scratch = self._exit_stack.enter_context(make_scratch_folder())
        self.pool = WorkerPool(1, self.scratch, limits, data, spec.learners)
        with _LOCK:
            _THREAD_WORKERS.add(self)

    def close(self) -> None:
        with _LOCK:
            _THREAD_WORKERS.discard(self)
        self.pool.close()
        self._exit_stack.close()


_LOCK = threading.Lock()
_THREAD_WORKERS: "set[_ThreadWorker]" = set()
"""The worker processes of this Dask worker, for :func:`kill_jobs` and :func:`end_processes`."""

_thread_state = threading.local()
"""The thread's worker process, which ends with the thread that started it."""


def execute_job(
    spec: JobSpec, data: TrialData, arrays: list[AnyArray], n_threads: int
) -> JobAnswer:
    """Execute a job under its limits.

    Args:
        arrays: One array, of any shape, for each name in ``spec.arrays``.
        n_threads: Simultaneous jobs on this Dask worker, which share its machine's memory.
    """
    memory = get_memory_limit(None, n_threads) if spec.memory is None else spec.memory
    limits = TrialLimits(spec.seconds, memory)
    thread_worker = _get_thread_worker(spec, data, limits)
    staged_files = {
        name: thread_worker.pool.stage_array(f"array-{number}", array)
        for number, (name, array) in enumerate(zip(spec.arrays, arrays, strict=True))
    }
    job = {key: _to_local_paths(value, staged_files) for key, value in spec.job.items()}
    recreate(thread_worker.scratch)
    pickle = thread_worker.scratch / f"{secrets.token_hex(4)}.pkl" if job.get("pickle") else None
    if pickle is not None:
        job["pickle"] = str(pickle)
    thread_worker.pool.submit(0, job, limits)
    while not thread_worker.cancelled.is_set():
        for finished in thread_worker.pool.wait(TICK_SECONDS):
            content = b""
            if pickle is not None and isinstance(finished.result, RefitResult):
                content = pickle.read_bytes()
                pickle.unlink()
            return JobAnswer(finished.result, content)
    thread_worker.close()
    _thread_state.thread_worker = None
    return JobAnswer(None)


def _get_thread_worker(spec: JobSpec, data: TrialData, limits: TrialLimits) -> _ThreadWorker:
    thread_worker: _ThreadWorker | None = getattr(_thread_state, "thread_worker", None)
    if thread_worker is not None and (
        thread_worker.run != spec.run or thread_worker.cancelled.is_set()
    ):
        thread_worker.close()  # of an earlier run, which may have ended abnormally
        thread_worker = None
    if thread_worker is None:
        thread_worker = _thread_state.thread_worker = _ThreadWorker(spec, data, limits)
    return thread_worker


def _to_local_paths(value: Any, local_paths: Mapping[str, Path]) -> Any:
    """Replace the engine's paths by paths on this machine."""
    if isinstance(value, list):
        return [_to_local_paths(each, local_paths) for each in value]
    return str(local_paths[value]) if isinstance(value, str) and value in local_paths else value


def kill_jobs(run: str) -> None:
    """Cancel the run's jobs on this Dask worker immediately; each kills its own process."""
    for thread_worker in _list_thread_workers(run):
        thread_worker.cancelled.set()
        thread_worker.pool.cancel_all()


def end_processes(run: str) -> None:
    """End the run's processes on this Dask worker and remove its files."""
    kill_jobs(run)
    for thread_worker in _list_thread_workers(run):
        thread_worker.close()


def _list_thread_workers(run: str) -> list[_ThreadWorker]:
    with _LOCK:
        return [each for each in _THREAD_WORKERS if each.run == run]


class ClusterPool:
    """Trains on a Dask cluster, with the interface of :class:`studio.runs.pool.Pool`.

    Every thread of every Dask worker takes one job at a time and passes it to a separate process
    under the limits of a trial. A job whose worker is lost is resubmitted; it fails after several
    lost workers. The cluster's machines need the same version of this package. Any client of a Dask
    scheduler can run arbitrary code on it and forge results, so use trusted clusters only.

    Args:
        scratch: An existing folder on this machine.
        data: Sent to the cluster once.
        address: The scheduler's, such as ``tcp://127.0.0.1:8786``.
        shares_memory: Whether jobs share their machine's memory instead of being limited by
            ``limits.memory``.
        learners_module: The module, on the cluster's machines, whose ``REGISTRY`` lists the
            learners.

    Raises:
        UsageError: If Dask is not installed here.
        RunError: If the cluster cannot be reached or has another version of this package.
    """

    def __init__(
        self,
        workers: int,
        scratch: Path,
        limits: TrialLimits,
        data: TrialData,
        *,
        address: str,
        shares_memory: bool,
        learners_module: str = LEARNERS_MODULE,
    ) -> None:
        self.restart_seconds = 0.0
        self.starting_seconds = 0.0
        self.uses_processes = True
        self.shares_files = False
        self.current_folds: dict[int, Fold] = {}  # not worth the network traffic
        self._workers = workers
        self._scratch = scratch
        self._limits = replace(limits, memory=None) if shares_memory else limits
        self._learners = learners_module
        self._run = secrets.token_hex(8)
        self._staged_arrays: dict[str, AnyArray] = {}
        self._jobs: dict[Any, tuple[int, JobSpec, int]] = {}
        self._connection = Connection(address)
        self._client = self._connection.client
        self._data_to_send = replace(data, X=np.array(data.X), y=np.array(data.y))
        try:
            self._data = self._connection.scatter(self._data_to_send)
        except BaseException:
            self._connection.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def size(self) -> int:
        """Number of parallel jobs, at least 1: the cluster's size, up to the requested number."""
        return max(1, min(self._workers, sum(self._connection.count_threads().values())))

    def prepare_spare(self) -> None:
        """Do nothing: no local process ends with its job."""

    def stage_array(self, name: str, array: AnyArray) -> Path:
        """Store an array of any shape for jobs under the returned path."""
        path = self._scratch / f"{name}.npy"
        save_array(path, array)
        self._staged_arrays[str(path)] = np.asarray(array)
        return path

    def submit(self, job_id: int, job: dict[str, Any], limits: TrialLimits | None = None) -> None:
        """Submit a job; the cluster chooses a worker."""
        limits = limits or self._limits
        strings = [each for value in job.values() for each in _list_strings(value)]
        arrays = tuple(dict.fromkeys(each for each in strings if each in self._staged_arrays))
        spec = JobSpec(self._run, job, arrays, limits.seconds, limits.memory, self._learners)
        self._send(job_id, spec, n_losses=0)

    def wait(self, timeout: float) -> list[FinishedJob]:
        """Return finished jobs, after up to ``timeout`` seconds; RunError without a cluster."""
        if not self._jobs:
            time.sleep(timeout)
            return []
        wait = import_distributed().wait
        try:
            with self._client.as_current():
                wait(list(self._jobs), timeout=timeout, return_when="FIRST_COMPLETED")
        except TimeoutError:
            self._connection.require_workers()
            return []
        except CancelledError:
            pass  # The scheduler lost a job with its worker; it is submitted again below.
        ended_futures = [future for future in self._jobs if future.status != "pending"]
        return [each for each in map(self._collect_result, ended_futures) if each is not None]

    def cancel_all(self) -> None:
        """Kill running jobs and drop queued ones; raise RunError if the cluster is gone."""
        if self._jobs:
            with self._connection.translate_errors():
                self._client.cancel(list(self._jobs), force=True)
                self._jobs.clear()
                self._client.run(kill_jobs, self._run)

    def close(self) -> None:
        """End the run's processes on all workers and disconnect."""
        try:
            if self._connection.is_alive:
                self.cancel_all()
                with self._connection.translate_errors():
                    self._client.run(end_processes, self._run, on_error="ignore")
        except RunError:
            pass  # A lost worker has no processes left, as they end with it.
        finally:
            self._connection.close()

    # -- one job ---------------------------------------------------------------------------

    def _send(self, job_id: int, spec: JobSpec, n_losses: int) -> None:
        threads = max(1, max(self._connection.count_threads().values(), default=1))
        future = self._client.submit(
            execute_job,
            spec,
            self._data,
            [self._staged_arrays[name] for name in spec.arrays],
            threads,
            key=f"studio-{self._run}-{job_id}-{secrets.token_hex(4)}",
            pure=False,
        )
        self._jobs[future] = (job_id, spec, n_losses)

    def _collect_result(self, future: Any) -> FinishedJob | None:
        job_id, spec, n_losses = self._jobs.pop(future)
        job_answer = error = None
        if future.status == "finished":
            # Its worker may be lost before the result is fetched.
            with contextlib.suppress(CancelledError):
                job_answer = future.result()
        elif future.status == "error":
            error = future.exception()
        if job_answer is not None and job_answer.result is not None:
            if job_answer.pickle:
                Path(spec.job["pickle"]).write_bytes(job_answer.pickle)
            return FinishedJob(job_id, job_answer.result)
        if error is not None and type(error).__name__ not in LOST_WORKER_ERRORS:
            raise RunError(
                "A cluster worker failed ({fault}: {error}). Everything so far is kept; check that "
                "all machines have this package with its dependencies, then continue the run.",
                fault=type(error).__name__,
                error=error,
            ) from error
        if n_losses >= MAX_RETRIES_AFTER_KILL:
            return FinishedJob(job_id, _make_retries_error())
        self._data = self._connection.scatter(self._data_to_send)
        self._send(job_id, spec, n_losses + 1)
        return None


def _list_strings(value: Any) -> list[str]:
    if isinstance(value, list):
        return [each for each in value if isinstance(each, str)]
    return [value] if isinstance(value, str) else []


def _make_retries_error() -> Failure:
    return Failure(
        phrase(
            "The cluster lost one worker after another while they worked on it; most likely "
            "their machines ran out of memory."
        ),
        RUN_CONTINUES,
    )
