"""What runs on the cluster's machines: one job at a time and thread, in a process of its own.

A Dask worker's threads cannot be stopped and its memory limit ends everything that it does, so a
job is handed on to a worker process of ours on the same machine, under the limits of a trial.
"""

import secrets
import threading
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from studio.arrays import AnyArray
from studio.runs.causes import Failure
from studio.runs.jobs import Refitted, TrialOutcome
from studio.runs.limits import Limits, memory_share
from studio.runs.pool import WorkerPool
from studio.runs.staging import TrialData
from studio.scratch import make_again, scratch_folder

TICK_SECONDS = 0.5
"""How often a waiting job looks whether it was given up."""


@dataclass(frozen=True)
class JobOrder:
    """A job as it travels.

    Attributes:
        run: Tells the jobs of one engine from those of others.
        job: Of :mod:`studio.runs.jobs`; paths of the engine's machine represent arrays and files.
        arrays: Those of its paths that represent arrays, which travel beside it.
        seconds: Longest time of the job.
        memory: Most memory of the job in bytes; ``None`` for a share of what the machine has.
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
    """The outcome of a job.

    Attributes:
        result: TrialOutcome, Refitted or Failure; ``None`` if the job was given up..
        pickle: The file that the job was to write; empty if none.
    """

    result: TrialOutcome | Refitted | Failure | None
    pickle: bytes = b""


class _ThreadWorker:
    """One thread's worker process for one run, with the run's data in a folder beside it."""

    def __init__(self, order: JobOrder, data: TrialData, limits: Limits) -> None:
        self.run = order.run
        self.given_up = threading.Event()
        self._held = ExitStack()
        self.scratch = self._held.enter_context(scratch_folder())
        self.pool = WorkerPool(1, self.scratch, limits, data, order.learners)
        with _LOCK:
            _THREAD_WORKERS.add(self)

    def close(self) -> None:
        with _LOCK:
            _THREAD_WORKERS.discard(self)
        self.pool.close()
        self._held.close()


_LOCK = threading.Lock()
_THREAD_WORKERS: "set[_ThreadWorker]" = set()
"""The worker processes of this Dask worker, for :func:`give_up` and :func:`leave`."""

_mine = threading.local()
"""This thread's own: worker processes end with the thread that started them."""


def perform(order: JobOrder, data: TrialData, arrays: list[AnyArray], threads: int) -> JobAnswer:
    """Do a job under its limits.

    Args:
        order: What to do.
        data: What the run's trials are trained on.
        arrays: One, of any shape, for each name in ``order.arrays``.
        threads: Jobs at the same time on this Dask worker, which share its machine's memory.
    """
    memory = memory_share(None, threads) if order.memory is None else order.memory
    limits = Limits(order.seconds, memory)
    thread_worker = _thread_worker(order, data, limits)
    places = {
        name: thread_worker.pool.stage(f"array-{number}", array)
        for number, (name, array) in enumerate(zip(order.arrays, arrays, strict=True))
    }
    job = {key: _local(value, places) for key, value in order.job.items()}
    make_again(thread_worker.scratch)
    pickle = thread_worker.scratch / f"{secrets.token_hex(4)}.pkl" if job.get("pickle") else None
    if pickle is not None:
        job["pickle"] = str(pickle)
    thread_worker.pool.submit(0, job, limits)
    while not thread_worker.given_up.is_set():
        for finished in thread_worker.pool.wait(TICK_SECONDS):
            written = pickle is not None and isinstance(finished.result, Refitted)
            return JobAnswer(finished.result, _taken(pickle) if written and pickle else b"")
    thread_worker.close()
    _mine.thread_worker = None
    return JobAnswer(None)


def _thread_worker(order: JobOrder, data: TrialData, limits: Limits) -> _ThreadWorker:
    thread_worker: _ThreadWorker | None = getattr(_mine, "thread_worker", None)
    if thread_worker is not None and (
        thread_worker.run != order.run or thread_worker.given_up.is_set()
    ):
        thread_worker.close()  # of a run that is over, perhaps without having said so
        thread_worker = None
    if thread_worker is None:
        thread_worker = _mine.thread_worker = _ThreadWorker(order, data, limits)
    return thread_worker


def _local(value: Any, places: Mapping[str, Path]) -> Any:
    """Put this machine's paths in the place of the engine's."""
    if isinstance(value, list):
        return [_local(each, places) for each in value]
    return str(places[value]) if isinstance(value, str) and value in places else value


def _taken(path: Path) -> bytes:
    content = path.read_bytes()
    path.unlink()
    return content


def give_up(run: str) -> None:
    """End the run's jobs on this Dask worker at once; each kills its own process."""
    with _LOCK:
        thread_workers = [
            thread_worker for thread_worker in _THREAD_WORKERS if thread_worker.run == run
        ]
    for thread_worker in thread_workers:
        thread_worker.given_up.set()
        thread_worker.pool.cancel_all()


def leave(run: str) -> None:
    """End the run's processes on this Dask worker and remove its files."""
    give_up(run)
    with _LOCK:
        thread_workers = [
            thread_worker for thread_worker in _THREAD_WORKERS if thread_worker.run == run
        ]
    for thread_worker in thread_workers:
        thread_worker.close()
