"""The workers of a run: started once, given one job after another, watched, replaced.

A trial that breaks a limit, hangs, crashes or leaves something behind costs that trial and its
worker, and nothing else. Limits are held from a thread of their own, so they hold while the engine
is busy suggesting.

Use a pool from one thread that lives as long as the pool does: on Linux the workers die with the
thread that started them.
"""

import secrets
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any, Self

from studio.arrays import AnyArray
from studio.children import module_command, surroundings
from studio.runs.crew import Crew, Finished, Fold, cannot_start
from studio.runs.limits import Limits
from studio.runs.staging import TrialData, data_folder, save_array
from studio.runs.watch import WorkerWatch
from studio.runs.worker_process import WorkerJob, WorkerProcess, Workplace
from studio.scratch import make_again
from studio.system.processes import MARK
from studio.system.starting import apart

LEARNERS = "studio.learners.registry"
"""The module that lists the learners."""

LOOK_SECONDS = 0.05
"""How often a waiting pool looks after its workers even if nothing was heard."""

SHUTDOWN_TIMEOUT = 5.0
"""Longest time that closing waits for one process that was killed to be gone."""


class WorkerPool:
    """Processes that train.

    Args:
        workers: Jobs at the same time, at least 1.
        scratch: An existing folder of the run's own; the caller removes it after :meth:`close`.
        limits: Of every job that is not given its own.
        data: What trials are trained on; written into ``scratch``. Where it is not known yet,
            :meth:`supply` must follow before the first job.
        learners: The module whose ``REGISTRY`` lists the learners.

    Raises:
        RunError: If no process can be started, or the data cannot be written.
    """

    def __init__(
        self,
        workers: int,
        scratch: Path,
        limits: Limits,
        data: TrialData | None,
        learners: str = LEARNERS,
    ) -> None:
        assert workers >= 1, "a pool has at least one worker"
        self.size = workers
        self.apart = True
        self.near = True
        self._scratch = scratch
        self._limits = limits
        self._closed = False
        self._data = data
        self._version = 0
        self._files: tuple[Path, ...] = ()
        self._staged: dict[Path, AnyArray] = {}
        place = Workplace(scratch, learners, secrets.token_hex(8), self._keep_files)
        self._crew = Crew(place, workers)
        self._changed = self._crew.changed
        self._watch = WorkerWatch(self._changed, lambda: list(self._crew.workers), self._crew.reap)
        try:
            if data is not None:
                self._files = data.save(self._data_folder)
            self._guard = _start_guard(place.mark)
        except OSError as error:
            raise cannot_start(str(error)) from error
        try:
            with self._changed:
                self._crew.reconcile()
            self._watch.start()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        """Return the pool itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the pool."""
        self.close()

    @property
    def restart_seconds(self) -> float:
        """How long a worker is missed whose job was given up: 0 while there is a spare one."""
        with self._changed:
            return 0.0 if self._crew.has_spare else self._crew.start_seconds

    @property
    def starting_seconds(self) -> float:
        """How long all workers have been starting; 0 once one is ready."""
        with self._changed:
            return self._crew.starting_seconds

    @property
    def at_fold(self) -> dict[int, Fold]:
        """The fold that each job trains now, where its worker has said so."""
        with self._changed:
            return self._crew.at_fold

    def stand_by(self) -> None:
        """Have a worker ready that takes the place of one that is ended."""
        with self._changed:
            self._crew.want_spare()

    def supply(self, limits: Limits, data: TrialData) -> None:
        """Say what trials are trained on, and the limits of every job that is not given its own.

        No job of other data may be under way: what was staged beside them is forgotten. A spare
        worker goes with the data for which it was wanted.

        Raises:
            RunError: If the data cannot be written.
        """
        self._limits = limits
        former, version = self._data_folder, self._version + 1
        try:
            files = data.save(data_folder(self._scratch, version))
        except OSError as error:
            raise cannot_start(str(error)) from error
        with self._changed:
            self._data, self._version, self._files = data, version, files
            self._staged = {}
            self._crew.dismiss_spare()
        # Where what workers have mapped cannot be removed it goes with the scratch folder.
        shutil.rmtree(former, ignore_errors=True)

    def stage(self, name: str, array: AnyArray) -> Path:
        """Write an array of any shape where workers can read it, and return the file's path."""
        path = self._data_folder / f"{name}.npy"
        try:
            save_array(path, array)
        except OSError as error:
            raise cannot_start(str(error)) from error
        with self._changed:
            self._staged[path] = array
        return path

    @property
    def _data_folder(self) -> Path:
        return data_folder(self._scratch, self._version)

    def _keep_files(self) -> None:
        """Write again what a cleaner of temporary folders has removed; needs the lock."""
        make_again(self._scratch / "work")
        if self._data is not None and not all(file.exists() for file in self._files):
            self._data.save(self._data_folder)
        for path, array in self._staged.items():
            if not path.exists():
                save_array(path, array)

    def submit(self, job_id: int, job: dict[str, Any], limits: Limits | None = None) -> None:
        """Hand over a job; it waits in line if all workers are busy.

        Args:
            job_id: Comes back with the result; unlike those of all jobs that are not over.
            job: Made by :mod:`studio.runs.jobs`.
            limits: Other ones than the pool's.
        """
        assert not self._closed, "the pool is closed"
        with self._changed:
            self._crew.resting = False
            self._crew.queue.append(WorkerJob(job_id, job, limits or self._limits, self._version))
            handed = self._crew.reconcile()
        _send(handed)

    def wait(self, timeout: float) -> list[Finished]:
        """Return the jobs that are over; wait up to ``timeout`` seconds for the first of them.

        Raises:
            RunError: If workers cannot be started, or watched, any more; the message says why.
        """
        self._watch.check()
        until = time.monotonic() + timeout
        while True:
            with self._changed:
                handed = self._crew.reconcile()
                left = until - time.monotonic()
                if not self._crew.finished and not handed and left > 0:
                    self._changed.wait(min(left, LOOK_SECONDS))
                over, self._crew.finished = self._crew.finished, []
            _send(handed)
            if over or left <= 0:
                return over

    def cancel_all(self) -> tuple[int, ...]:
        """Kill what is running and forget what is waiting; :meth:`wait` returns none of it.

        New workers are started by the next :meth:`submit`, so that a run which stops starts none.

        Returns:
            The ids of the jobs that were given up.
        """
        with self._changed:
            ids, victims = self._crew.give_up()
        for worker in victims:
            worker.kill(0.0)
        return tuple(ids)

    def close(self) -> None:
        """Kill all workers and whatever they started; the pool cannot be used any more."""
        if self._closed:
            return
        self._closed = True
        workers = [*self._watch.stop(), *self._crew.workers]
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
        module_command("studio.runs.guard", mark),
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={key: value for key, value in surroundings().items() if key != MARK},
        **apart(),
    )
