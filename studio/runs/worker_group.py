"""The worker processes of a pool and their jobs: busy, spare and replaced ones."""

import contextlib
import dataclasses
import os
import subprocess
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from studio.awake_clock import read_awake_seconds
from studio.children import THREAD_VARIABLES, make_module_command, make_process_environment
from studio.errors import RunError
from studio.phrases import phrase
from studio.runs import causes
from studio.runs.causes import Failure
from studio.runs.jobs import RefitResult, TrialOutcome
from studio.runs.limits import TrialLimits
from studio.runs.messages import (
    Message,
    MessageError,
    WorkerMessage,
    get_pipe,
    parse,
    read_message,
    write_message,
)
from studio.system.processes import MARK, get_process_tree_options, kill_tree
from studio.system.signals import was_killed
from studio.system.threads import start_thread

THREADS = "1"
"""Number of threads of numeric libraries in a worker, on any machine: it affects the order of
summation, and a trial must be reproducible to the bit. At typical trial sizes, more threads gained
nothing when measured (LDA and QDA took five times longer on two than on one).
"""


@dataclass(frozen=True)
class WorkerJob:
    """A job for a worker.

    Attributes:
        data_version: The version of the pool's data.
        n_killed_workers: Number of workers killed from outside during the job.
    """

    id: int
    body: dict[str, Any]
    limits: TrialLimits
    data_version: int
    n_killed_workers: int = 0


@dataclass(frozen=True)
class WorkerEnvironment:
    """Environment shared by all workers of a pool.

    Attributes:
        folder: The folder of the data; workers may leave files in its ``work`` subfolder.
        learners: The module whose ``REGISTRY`` lists the learners.
        mark: Prefix of the mark of every process of the pool.
        restore_files: Restores the folder with the workers' input, which cleaners of temporary
            folders may remove; raises OSError on failure.
    """

    folder: Path
    learners: str
    mark: str
    restore_files: Callable[[], None]


class WorkerProcess:
    """A started worker.

    Attributes:
        job: The current job. This and the following attributes are guarded by the pool's lock.
        started_at: Start of the job, or of the worker.
        peak: Peak memory during the job, bytes.
        fold: The current fold, and the number of folds; zeros until a fold is reported.
        terminating: Whether it is being killed and accepts no further job.

    Args:
        number: Unique in the pool, including past workers.
        receive: Called from the reading thread with the worker and each message, finally with
            ``None``.
    """

    def __init__(
        self,
        environment: WorkerEnvironment,
        number: int,
        receive: Callable[["WorkerProcess", Message | None], None],
    ) -> None:
        self.number = number
        self.mark = f"{environment.mark}-{number}-"
        self.job: WorkerJob | None = None
        self.started_at = read_awake_seconds()
        self.peak = 0
        self.is_ready = False
        self.has_begun = False
        self.fold = (0, 0)
        self.silent_since: float | None = None
        self.terminating = False
        self._receive = receive
        self._log = environment.folder / f"worker-{number}.log"
        self.process = self._start(environment)
        self._reader = threading.Thread(target=self._read, name=f"worker {number}", daemon=True)
        try:
            start_thread(self._reader)
        except OSError:
            self.kill()
            raise

    def _start(self, worker_environment: WorkerEnvironment) -> "subprocess.Popen[bytes]":
        worker_environment.restore_files()
        work = worker_environment.folder / "work"
        environment = make_process_environment(
            **dict.fromkeys(THREAD_VARIABLES, THREADS),
            **dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(work)),
            JOBLIB_MULTIPROCESSING="0",
            PYTHONHASHSEED="0",
            **{MARK: self.mark},
        )
        folder, learners = str(worker_environment.folder), worker_environment.learners
        command = make_module_command("studio.runs.worker", folder, learners, os.getpid())
        with self._log.open("wb") as log:
            return subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                env=environment,
                cwd=work,
                **get_process_tree_options(),
            )

    def is_idle(self) -> bool:
        """Return whether it can accept a job."""
        return (
            self.is_ready
            and self.job is None
            and not self.terminating
            and self.silent_since is None
        )

    def expects_answer_to(self, job_id: int) -> bool:
        """Return whether an answer to this job is still expected from it."""
        return self.job is not None and self.job.id == job_id

    def assign(self, job: WorkerJob) -> None:
        """Assign a job and start its time. :meth:`send` must follow."""
        self.job = job
        self.has_begun = False
        self.fold = (0, 0)
        self.started_at = read_awake_seconds()
        self.peak = 0

    def send(self) -> None:
        """Send the job; without the lock, as a pipe may block."""
        job = self.job
        if job is None:
            return  # Cancelled in the meantime.
        limits = {"seconds": job.limits.seconds, "memory": job.limits.memory}
        body = {**job.body, "id": job.id, "limits": limits, "data": job.data_version}
        # The monitor handles dead workers.
        with contextlib.suppress(OSError):
            write_message(get_pipe(self.process.stdin), body)

    def is_overdue(self) -> bool:
        """Return whether the job has exceeded its time limit."""
        seconds = self.job.limits.seconds if self.job else None
        return seconds is not None and read_awake_seconds() - self.started_at > seconds

    def get_stderr_tail(self) -> str:
        """Return the last line of the worker's stderr during its start."""
        try:
            lines = self._log.read_text(encoding="utf-8", errors="replace").split("\n")
        except OSError:
            return ""
        return next((line.strip() for line in reversed(lines) if line.strip()), "")

    def kill(self, timeout: float = 1.0) -> None:
        """Kill it with its descendants, and wait briefly for the end."""
        kill_tree(self.process, self.mark)
        # A process in a system call ends only when the call returns.
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(timeout)

    def drain(self, timeout: float) -> None:
        """Wait until a dead worker's output has been read, or for a timeout."""
        deadline = read_awake_seconds() + timeout
        while self._reader.is_alive() and (seconds_left := deadline - read_awake_seconds()) > 0:
            self._reader.join(seconds_left)

    def close(self) -> bool:
        """Close the pipes of a dead worker; return whether it has ended.

        It may be stuck in the kernel, for example while releasing much memory. In that case call
        this method again, as a process stays in the system's list until its parent has waited for
        it.
        """
        if self.process.poll() is None or self._reader.is_alive():
            return False
        for stream in (self.process.stdin, self.process.stdout):
            with contextlib.suppress(OSError):  # An unread job cannot be flushed any more.
                get_pipe(stream).close()
        with contextlib.suppress(OSError):  # The folder may be missing, or replaced by a file.
            self._log.unlink(missing_ok=True)
        return True

    def _read(self) -> None:
        stream = get_pipe(self.process.stdout)
        try:
            # Damaged or truncated output counts as the end: such a worker is not used again.
            with contextlib.suppress(OSError, MessageError):
                while (message := read_message(stream)) is not None:
                    self._receive(self, message)
        finally:
            self._receive(self, None)


MAX_RETRIES_AFTER_KILL = 2
"""Maximum number of retries of a trial whose worker was killed externally."""

Fold = tuple[int, int]
"""Current fold of a trial, from 1, and number of folds."""

NO_FOLD: Fold = (0, 0)

MAX_FAILED_STARTS = 3
"""Number of consecutive failed starts of workers before the run fails."""


@dataclass(frozen=True)
class FinishedJob:
    """A finished job."""

    job_id: int
    result: TrialOutcome | RefitResult | Failure
    seconds: float = 0.0


class WorkerGroup:
    """State of a pool. All methods and fields except :meth:`receive` need :attr:`changed` held.

    Attributes:
        changed: Notified when a job is over, or a worker became ready or died.
        workers: All workers not yet reaped, including terminating ones.
        slots: Workers that accept jobs.
        queue: Unassigned jobs.
        is_idle: Whether no new workers are to be started for now.
        start_seconds: The longest time from a worker's start until it was ready.
    """

    def __init__(self, environment: WorkerEnvironment, size: int) -> None:
        self.changed = threading.Condition()
        self.workers: list[WorkerProcess] = []
        self.slots: list[WorkerProcess | None] = [None] * size
        self.queue: list[WorkerJob] = []
        self.finished: list[FinishedJob] = []
        self.is_idle = False
        self.start_seconds = 0.0
        self._environment = environment
        self._spare_worker: WorkerProcess | None = None
        self._keeps_spare = False
        self._cancelled_workers: set[int] = set()
        self._n_started = 0
        self._failed_starts = 0
        self._start_error = ""

    def reconcile(self) -> list[WorkerProcess]:
        """Replace lost workers and assign queued jobs; return the workers, or raise RunError."""
        if self._failed_starts >= MAX_FAILED_STARTS:
            raise make_start_error(self._start_error)
        if not self.is_idle:
            for slot, worker in enumerate(self.slots):
                if worker is None or worker.terminating or worker not in self.workers:
                    self.slots[slot] = self._start_replacement()
            if self._keeps_spare and self._spare_worker is None:
                self._spare_worker = self._start()
        assigned = []
        if self.queue:
            self._restore_files()
        for worker in self.slots:
            if self.queue and worker is not None and worker.is_idle():
                worker.assign(self.queue.pop(0))
                assigned.append(worker)
        return assigned

    def drop_jobs(self) -> list[WorkerProcess]:
        """Drop all jobs; return the workers to kill."""
        busy_workers = [worker for worker in self.workers if worker.job is not None]
        for worker in busy_workers:
            worker.job = None
            worker.terminating = True
            self._cancelled_workers.add(worker.number)
        # The remaining jobs are the last ones; they should not compete with a starting worker.
        self._keeps_spare = False
        self.queue, self.finished, self.is_idle = [], [], True
        return busy_workers

    def receive(self, worker: WorkerProcess, message: Message | None) -> None:
        """Process a worker's message, or the end of output (``None``); MessageError if invalid."""
        worker_message, result = (None, None) if message is None else parse(message)
        with self.changed:
            if worker_message is None:
                worker.silent_since = read_awake_seconds()
            elif worker_message.kind == "ready":
                worker.is_ready = True
                self.start_seconds = max(
                    self.start_seconds, read_awake_seconds() - worker.started_at
                )
                self._failed_starts = 0
            elif worker_message.kind == "broken":
                # No retry for a missing file or package.
                self._failed_starts = MAX_FAILED_STARTS
                self._start_error = worker_message.reason
            elif worker_message.kind == "stale":
                self._requeue(worker)
            elif worker_message.kind == "begun":
                worker.has_begun = True
            elif worker_message.kind == "fold":
                worker.fold = (worker_message.fold, worker_message.folds)
                return  # no caller waits for it
            elif result is not None and worker.expects_answer_to(worker_message.job):
                self._process_result(worker, worker_message, result)
            self.changed.notify_all()

    def _process_result(
        self,
        worker: WorkerProcess,
        worker_message: WorkerMessage,
        result: TrialOutcome | RefitResult | Failure,
    ) -> None:
        seconds = read_awake_seconds() - worker.started_at
        peak = max(worker_message.peak, worker.peak)
        if isinstance(result, Failure):
            result = dataclasses.replace(result, fit_seconds=seconds)
        result = dataclasses.replace(result, peak_memory=peak)
        self.finished.append(FinishedJob(worker_message.job, result, seconds))
        worker.job = None
        worker.terminating |= worker_message.retire

    def reap(self, worker: WorkerProcess, reason: Failure | None) -> None:
        """Remove a dead worker; its job has failed."""
        self.workers.remove(worker)
        if not worker.is_ready:
            self._failed_starts += 0 if worker.terminating and reason is None else 1
            if reason is not None or not worker.terminating:
                self._start_error = worker.get_stderr_tail() or _start_failure(worker, reason)
        # After one replacement, others may follow, so a spare worker is kept from now on.
        was_cancelled = worker.number in self._cancelled_workers
        self._keeps_spare = self._keeps_spare or (worker.is_ready and not was_cancelled)
        if self._spare_worker is worker:
            self._spare_worker = None
        if worker.job is not None and reason is None and _should_retry(worker, worker.job):
            n_killed = worker.job.n_killed_workers + worker.has_begun
            self.queue.insert(0, dataclasses.replace(worker.job, n_killed_workers=n_killed))
        elif worker.job is not None:
            code = worker.process.poll() or 0
            failure = reason or causes.make_process_death_failure(code, worker.job.limits)
            seconds = read_awake_seconds() - worker.started_at
            failure = dataclasses.replace(failure, fit_seconds=seconds, peak_memory=worker.peak)
            self.finished.append(FinishedJob(worker.job.id, failure, seconds))
        worker.job = None
        self.changed.notify_all()

    def _requeue(self, worker: WorkerProcess) -> None:
        """Reassign the job of a worker whose memory is full of earlier data."""
        if worker.job is not None:
            self.queue.insert(0, worker.job)
        worker.job = None
        worker.terminating = True
        self._cancelled_workers.add(worker.number)  # remembered after its job is cleared

    @property
    def current_folds(self) -> dict[int, Fold]:
        """The current fold of each job, as far as reported."""
        running_jobs = ((each.job, each.fold) for each in self.workers)
        return {job.id: fold for job, fold in running_jobs if job is not None and fold != NO_FOLD}

    @property
    def starting_seconds(self) -> float:
        """Seconds for which all workers have been starting; 0 once one is ready."""
        if not self.workers or any(worker.is_ready for worker in self.workers):
            return 0.0
        return read_awake_seconds() - min(worker.started_at for worker in self.workers)

    @property
    def has_spare(self) -> bool:
        """Whether a spare worker is ready."""
        return self._spare_worker is not None and self._spare_worker.is_idle()

    def dismiss_spare(self) -> None:
        """Keep no spare worker until the next replacement."""
        if self._spare_worker is not None:
            self._spare_worker.terminating = True
            self._cancelled_workers.add(self._spare_worker.number)
        self._keeps_spare, self._spare_worker = False, None

    def request_spare(self) -> None:
        """Keep a spare worker from now on; :meth:`reconcile` starts it."""
        self._keeps_spare = True

    def _restore_files(self) -> None:
        try:
            self._environment.restore_files()
        except OSError as error:
            raise make_start_error(str(error)) from error

    def _start_replacement(self) -> WorkerProcess:
        replacement, self._spare_worker = self._spare_worker, None
        if replacement is not None and not replacement.terminating:
            return replacement
        return self._start()

    def _start(self) -> WorkerProcess:
        self._n_started += 1
        try:
            worker = WorkerProcess(self._environment, self._n_started, self.receive)
        except OSError as error:
            raise make_start_error(str(error)) from error
        self.workers.append(worker)
        return worker


def _should_retry(worker: WorkerProcess, job: WorkerJob) -> bool:
    """Whether the job should be retried by another worker.

    Either the worker had died idle, unnoticed when the job was assigned, or another process killed
    it. The system also kills processes to reclaim memory, so repeated kills count as a failure.
    """
    is_killed = was_killed(worker.process.poll())
    return not worker.has_begun or (is_killed and job.n_killed_workers < MAX_RETRIES_AFTER_KILL)


def _start_failure(worker: WorkerProcess, failure: Failure | None) -> str:
    """Return why a worker without output did not start."""
    if failure is not None:
        return failure.cause
    code = worker.process.poll()
    if was_killed(code):
        return phrase(
            "the system killed one while it was starting, most likely because the machine ran out "
            "of memory"
        )
    return phrase("one ended while it was starting (exit code {code})", code=code)


def make_start_error(reason: str) -> RunError:
    """Return the error of a run whose workers cannot start."""
    return RunError(
        "The processes that train the models could not be started: {reason}. Everything so far "
        "is kept: check that there is memory and space in the folder for temporary files, then "
        "continue the run.",
        reason=reason.rstrip("."),
    )
