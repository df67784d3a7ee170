"""Pools that execute the jobs of runs: their interface, and local workers, possibly started early.

A run's workers are started once, supervised, and replaced where necessary. A trial that exceeds a
limit, hangs, crashes or leaks resources only affects itself and its worker. Limits are enforced by
a separate thread, even while the engine is computing a suggestion.

A worker pool must be used from one thread that outlives it: on Linux the workers die with the
thread that started them.
"""

import secrets
import shutil
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, Protocol, Self

from studio.arrays import AnyArray
from studio.awake_clock import read_awake_seconds
from studio.children import make_module_command, make_process_environment
from studio.document.store import Document
from studio.errors import RunError
from studio.phrases import phrase
from studio.runs import causes
from studio.runs.causes import Failure
from studio.runs.limits import TrialLimits, limit_workers
from studio.runs.staging import TrialData, get_data_folder, save_array
from studio.runs.worker_group import (
    FinishedJob,
    Fold,
    WorkerEnvironment,
    WorkerGroup,
    WorkerJob,
    WorkerProcess,
    make_start_error,
)
from studio.scratch import make_scratch_folder, recreate
from studio.system.memory import get_tree_memory
from studio.system.processes import MARK, get_process_tree_options, list_descendants


class Pool(Protocol):
    """Executes jobs."""

    @property
    def size(self) -> int:
        """Number of parallel jobs, at least 1."""

    @property
    def uses_processes(self) -> bool:
        """Whether jobs run in other processes."""

    @property
    def shares_files(self) -> bool:
        """Whether jobs have access to files of this machine."""

    @property
    def restart_seconds(self) -> float:
        """Seconds to replace a worker after :meth:`cancel_all` has killed its job."""

    @property
    def starting_seconds(self) -> float:
        """Seconds for which all workers have been starting; 0 once one is ready."""

    @property
    def current_folds(self) -> Mapping[int, Fold]:
        """The current fold by job; empty if unknown."""

    def prepare_spare(self) -> None:
        """Start a spare worker to replace a killed one, if possible."""

    def stage_array(self, name: str, array: AnyArray) -> Path:
        """Write an array of any shape for jobs, and return the file's path."""

    def submit(self, job_id: int, job: dict[str, Any], limits: TrialLimits | None = None) -> None:
        """Submit a job of :mod:`studio.runs.jobs`; it is queued if all workers are busy."""

    def wait(self, timeout: float) -> list[FinishedJob]:
        """Return finished jobs; wait up to ``timeout`` seconds for the first."""

    def cancel_all(self) -> None:
        """Cancel running and queued jobs."""


PoolMaker = Callable[[int, Path, TrialLimits, TrialData], AbstractContextManager[Pool]]
"""Creates a pool from (workers, scratch folder, limits, data); closed at the end of ``with``."""


LEARNERS_MODULE = "studio.learners.registry"

POLL_SECONDS = 0.05
"""Interval at which a waiting pool checks its workers without any message."""

SHUTDOWN_TIMEOUT = 5.0
"""Timeout for killed processes to end when the pool is closed."""


class WorkerPool:
    """A pool of worker processes that train models.

    Args:
        workers: Simultaneous jobs, at least 1.
        scratch: An existing folder of the run; the caller removes it after :meth:`close`.
        data: Written to ``scratch``. If not yet known, :meth:`set_data` must be called before the
            first job.
        learners_module: The module whose ``REGISTRY`` lists the learners.

    Raises:
        RunError: If no process can be started, or the data cannot be written.
    """

    def __init__(
        self,
        workers: int,
        scratch: Path,
        limits: TrialLimits,
        data: TrialData | None,
        learners_module: str = LEARNERS_MODULE,
    ) -> None:
        assert workers >= 1, "a pool has at least one worker"
        self.size = workers
        self.uses_processes = True
        self.shares_files = True
        self._scratch = scratch
        self._limits = limits
        self._is_closed = False
        self._data = data
        self._version = 0
        self._files: tuple[Path, ...] = ()
        self._staged_arrays: dict[Path, AnyArray] = {}
        environment = WorkerEnvironment(
            scratch, learners_module, secrets.token_hex(8), self._restore_files
        )
        self._group = WorkerGroup(environment, workers)
        self._changed = self._group.changed
        self._watch = WorkerWatch(
            self._changed, lambda: list(self._group.workers), self._group.reap
        )
        try:
            if data is not None:
                self._files = data.save(self._data_folder)
            self._guard = _start_guard(environment.mark)
        except OSError as error:
            raise make_start_error(str(error)) from error
        try:
            with self._changed:
                self._group.reconcile()
            self._watch.start()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def restart_seconds(self) -> float:
        """Seconds to replace a worker after its job was cancelled: 0 with a spare worker."""
        with self._changed:
            return 0.0 if self._group.has_spare else self._group.start_seconds

    @property
    def starting_seconds(self) -> float:
        """Seconds for which all workers have been starting; 0 once one is ready."""
        with self._changed:
            return self._group.starting_seconds

    @property
    def current_folds(self) -> dict[int, Fold]:
        """The current fold of each job, as far as reported."""
        with self._changed:
            return self._group.current_folds

    def prepare_spare(self) -> None:
        """Start a spare worker that can replace a killed one."""
        with self._changed:
            self._group.request_spare()

    def set_data(self, limits: TrialLimits, data: TrialData) -> None:
        """Set the training data of trials, and the default limits of jobs.

        No jobs may be running on other data, whose staged arrays are dropped. A spare worker is
        dismissed with its data.

        Raises:
            RunError: If the data cannot be written.
        """
        self._limits = limits
        previous_folder, version = self._data_folder, self._version + 1
        try:
            files = data.save(get_data_folder(self._scratch, version))
        except OSError as error:
            raise make_start_error(str(error)) from error
        with self._changed:
            self._data, self._version, self._files = data, version, files
            self._staged_arrays = {}
            self._group.dismiss_spare()
        # Files mapped by workers may not be removable; they are removed with the scratch folder.
        shutil.rmtree(previous_folder, ignore_errors=True)

    def stage_array(self, name: str, array: AnyArray) -> Path:
        """Write an array of any shape for workers, and return the file's path."""
        path = self._data_folder / f"{name}.npy"
        try:
            save_array(path, array)
        except OSError as error:
            raise make_start_error(str(error)) from error
        with self._changed:
            self._staged_arrays[path] = array
        return path

    @property
    def _data_folder(self) -> Path:
        return get_data_folder(self._scratch, self._version)

    def _restore_files(self) -> None:
        """Rewrite removed temporary files; needs the lock."""
        recreate(self._scratch / "work")
        if self._data is not None and not all(file.exists() for file in self._files):
            self._data.save(self._data_folder)
        for path, array in self._staged_arrays.items():
            if not path.exists():
                save_array(path, array)

    def submit(self, job_id: int, job: dict[str, Any], limits: TrialLimits | None = None) -> None:
        """Submit a job; it is queued if all workers are busy.

        Args:
            job_id: Returned with the result; unique among unfinished jobs.
            job: Made by :mod:`studio.runs.jobs`.
            limits: Limits that replace the pool's.
        """
        assert not self._is_closed, "the pool is closed"
        with self._changed:
            self._group.is_idle = False
            self._group.queue.append(WorkerJob(job_id, job, limits or self._limits, self._version))
            assigned_workers = self._group.reconcile()
        _send(assigned_workers)

    def wait(self, timeout: float) -> list[FinishedJob]:
        """Return finished jobs, after up to ``timeout`` seconds; RunError without workers."""
        self._watch.check()
        deadline = time.monotonic() + timeout
        while True:
            with self._changed:
                assigned_workers = self._group.reconcile()
                seconds_left = deadline - time.monotonic()
                if not self._group.finished and not assigned_workers and seconds_left > 0:
                    self._changed.wait(min(seconds_left, POLL_SECONDS))
                finished, self._group.finished = self._group.finished, []
            _send(assigned_workers)
            if finished or seconds_left <= 0:
                return finished

    def cancel_all(self) -> None:
        """Kill running jobs and drop queued ones; :meth:`wait` returns none.

        New workers are only started by the next :meth:`submit`, so that a stopping run starts none.
        """
        with self._changed:
            workers = self._group.drop_jobs()
        for worker in workers:
            worker.kill(0.0)

    def close(self) -> None:
        """Kill all workers and their descendants; the pool is unusable afterwards."""
        if self._is_closed:
            return
        self._is_closed = True
        workers = [*self._watch.stop(), *self._group.workers]
        for worker in workers:
            worker.kill(0.0)
        for worker in workers:
            worker.kill(SHUTDOWN_TIMEOUT)
            worker.drain(SHUTDOWN_TIMEOUT)
            worker.close()
        guard_input = self._guard.stdin
        assert guard_input is not None, "the guard is started with a pipe"
        guard_input.close()
        try:
            self._guard.wait(SHUTDOWN_TIMEOUT)
        except subprocess.TimeoutExpired:
            self._guard.kill()
            self._guard.wait()


def _send(workers: list[WorkerProcess]) -> None:
    for worker in workers:
        worker.send()


def _start_guard(mark: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        make_module_command("studio.runs.guard", mark),
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={key: value for key, value in make_process_environment().items() if key != MARK},
        **get_process_tree_options(),
    )


_TICK_SECONDS = 0.1

START_SECONDS = 600.0
"""Timeout of a worker's start, for a very busy machine. It does not prolong a run with a time
budget.
"""

REAP_TIMEOUT = 1.0
"""Timeout of reaping one dead worker, which delays the checks of the others."""


class WorkerWatch:
    """Checks each worker several times a second and kills those past their limits.

    Args:
        changed: Guards the workers' fields.
        workers: Returns the workers that are not reaped yet; called with the lock held.
        reap: Called with the lock held, with a dead worker and why it was killed (``None`` if it
            died by itself, or was no longer wanted).
    """

    def __init__(
        self,
        changed: threading.Condition,
        workers: Callable[[], list[WorkerProcess]],
        reap: Callable[[WorkerProcess, Failure | None], None],
    ) -> None:
        self._changed = changed
        self._workers = workers
        self._reap = reap
        self._stop_event = threading.Event()
        self._lingering: list[WorkerProcess] = []
        self._problem: Exception | None = None
        self._thread = threading.Thread(target=self._run, name="watch", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def check(self) -> None:
        """Raise RunError if the watch ended without being stopped: no limit would be enforced."""
        if self._problem is not None:
            raise RunError(
                "Monitoring the workers failed ({problem}), so limits are no longer enforced. "
                "Everything so far is kept; continue the run.",
                problem=self._problem,
            ) from self._problem

    def stop(self) -> list[WorkerProcess]:
        """Stop the thread and join it, and return the workers still being reaped."""
        self._stop_event.set()
        if self._thread.is_alive():
            self._thread.join()
        return self._lingering

    def _run(self) -> None:
        try:
            while not self._stop_event.wait(_TICK_SECONDS):
                with self._changed:
                    workers = self._workers()
                for worker in workers:
                    self._check_worker(worker)
                self._lingering = [each for each in self._lingering if not each.close()]
        except Exception as error:  # noqa: BLE001 - raised again by check()
            self._problem = error

    def _check_worker(self, worker: WorkerProcess) -> None:
        reason: Failure | None = None
        with self._changed:
            if worker.process.poll() is None and not worker.terminating:
                reason = self._find_exceeded_limit(worker)
                if reason is None:
                    return
                worker.terminating = True
        worker.kill(REAP_TIMEOUT)
        # Messages sent before a worker's end still count.
        worker.drain(REAP_TIMEOUT)
        with self._changed:
            self._reap(worker, reason)
            self._changed.notify_all()
        if not worker.close():
            self._lingering.append(worker)

    def _find_exceeded_limit(self, worker: WorkerProcess) -> Failure | None:
        if worker.silent_since is not None:
            is_unresponsive = read_awake_seconds() - worker.silent_since > REAP_TIMEOUT
            return causes.make_unreadable_answer_failure() if is_unresponsive else None
        if not worker.is_ready:
            failure = Failure(phrase("one had not started after ten minutes"), "")
            is_late = read_awake_seconds() - worker.started_at > START_SECONDS
            return failure if is_late else None
        if worker.job is None:
            return None
        if worker.is_overdue():
            return causes.make_time_limit_failure(worker.job.limits)
        used = get_tree_memory(worker.process.pid, list_descendants(worker.process.pid))
        worker.peak = max(worker.peak, used)
        limit = worker.job.limits.memory
        is_exceeded = limit is not None and used > limit
        return causes.make_memory_failure(worker.job.limits) if is_exceeded else None


class WarmPool:
    """Provides a pool of local workers, started in advance, to one run after another.

    Loading libraries costs a worker two or three seconds of CPU time. A command for one run starts
    the workers while the engine loads its libraries and the table is read; a cell worker of a study
    reuses them for all its cells.

    A context manager that ends them; like the pool, it must be used from one thread.
    """

    def __init__(self) -> None:
        self._exit_stack = ExitStack()
        self._pool: WorkerPool | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def start(self, workers: int) -> WorkerPool:
        """Start workers, at least 1, and return their pool, without data, or raise RunError."""
        self._end()
        folder = self._exit_stack.enter_context(make_scratch_folder())
        self._pool = self._exit_stack.enter_context(
            WorkerPool(workers, folder, TrialLimits(), None)
        )
        return self._pool

    @contextmanager
    def lease(
        self, workers: int, scratch: Path, limits: TrialLimits, data: TrialData
    ) -> Iterator[WorkerPool]:
        """Create a run's pool, as a :data:`PoolMaker`.

        The workers have their own scratch folder. Workers of a failed run are not reused.

        Raises:
            RunError: If no process can be started, or the data cannot be written.
        """
        del scratch
        if self._pool is None or self._pool.size != workers:
            self.start(workers)
        assert self._pool is not None, "they were started"
        try:
            self._pool.set_data(limits, data)
            yield self._pool
        except BaseException:
            self._end()
            raise
        self._pool.cancel_all()

    def _end(self) -> None:
        self._pool = None
        self._exit_stack.close()


@contextmanager
def start_early_workers(
    document: Document, run_id: int, cluster: str = ""
) -> Iterator[PoolMaker | None]:
    """Start a run's worker processes before its table is read.

    For commands that run the engine in the same process: on several cores both load in parallel.

    Args:
        cluster: The address of a cluster allowed by a user of this machine; empty for none.

    Yields:
        ``None`` if the run has no workers on this machine, is finished, or no worker can be
        started: the engine then tries again, and the document records the outcome.
    """
    limit_workers(document, run_id, cluster)
    row = document.runs.get(run_id)
    with WarmPool() as pool:
        lease: PoolMaker | None = None
        if not row.settings.get("cluster") and row.state != "finished":
            with suppress(RunError):
                pool.start(int(row.settings["workers"]))
                lease = pool.lease
        yield lease
