"""The workers of a pool and their jobs: busy, spare and replaced ones."""

import dataclasses
import threading
from dataclasses import dataclass

from studio.awake_clock import read_awake_seconds
from studio.errors import RunError
from studio.phrases import phrase
from studio.runs import causes
from studio.runs.causes import Failure
from studio.runs.jobs import RefitResult, TrialOutcome
from studio.runs.messages import Message, WorkerMessage, parse
from studio.runs.worker_process import WorkerEnvironment, WorkerJob, WorkerProcess
from studio.system.signals import was_killed

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
