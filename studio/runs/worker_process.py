"""One worker process seen by the engine: pipes, job and state."""

import contextlib
import os
import subprocess
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from studio.awake_clock import read_awake_seconds
from studio.children import make_module_command, make_process_environment
from studio.runs.limits import TrialLimits
from studio.runs.messages import Message, MessageError, get_pipe, read_message, write_message
from studio.system.processes import MARK, get_process_tree_options, kill_tree
from studio.system.threads import start_thread

THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_NUM_THREADS",
)

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
