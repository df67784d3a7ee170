"""Holds the limits of the workers, from a thread of the engine."""

import threading
from collections.abc import Callable

from studio.awake import awake_seconds
from studio.errors import RunError
from studio.phrases import phrase
from studio.runs import causes
from studio.runs.causes import Failure
from studio.runs.worker_process import WorkerProcess
from studio.system.memory import memory_of_tree
from studio.system.processes import descendants

TICK_SECONDS = 0.1
"""How often every worker is looked at."""

START_SECONDS = 600.0
"""Longest time that a worker may take to load its libraries, on a very busy machine. A run with a
time budget does not last longer for it."""

REAP_TIMEOUT = 1.0
"""Longest time that one dead worker may hold up the watch over the others."""


class WorkerWatch:
    """Looks at every worker several times a second and ends those that must end.

    Args:
        changed: Guards the workers' fields.
        workers: Returns the workers that are not reaped yet; called with the lock held.
        reap: Called with the lock held, with a worker that is dead and the reason why it was killed
            (``None`` if it died by itself, or was no longer wanted).
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
        self._over = threading.Event()
        self._lingering: list[WorkerProcess] = []
        self._problem: Exception | None = None
        self._thread = threading.Thread(target=self._run, name="watch", daemon=True)

    def start(self) -> None:
        """Begin to watch."""
        self._thread.start()

    def check(self) -> None:
        """Raise what ended the watch, if anything did: without it no limit would hold.

        Raises:
            RunError: If the watch is over though nobody stopped it.
        """
        if self._problem is not None:
            raise RunError(
                "Watching the workers failed ({problem}), so no limit would be enforced. "
                "Everything so far is kept; continue the run.",
                problem=self._problem,
            ) from self._problem

    def stop(self) -> list[WorkerProcess]:
        """End the watch, wait for its thread, and return the reaped ones that are not gone yet."""
        self._over.set()
        if self._thread.is_alive():
            self._thread.join()
        return self._lingering

    def _run(self) -> None:
        try:
            while not self._over.wait(TICK_SECONDS):
                with self._changed:
                    workers = self._workers()
                for worker in workers:
                    self._look(worker)
                self._lingering = [each for each in self._lingering if not each.close()]
        except Exception as error:  # noqa: BLE001 - it is raised again where it is noticed
            self._problem = error

    def _look(self, worker: WorkerProcess) -> None:
        reason: Failure | None = None
        with self._changed:
            if worker.process.poll() is None and not worker.terminating:
                reason = self._reason_to_end(worker)
                if reason is None:
                    return
                worker.terminating = True
        worker.kill(REAP_TIMEOUT)
        # What a worker said before its end still counts, be it that nobody had read it yet.
        worker.drain(REAP_TIMEOUT)
        with self._changed:
            self._reap(worker, reason)
            self._changed.notify_all()
        if not worker.close():
            self._lingering.append(worker)

    def _reason_to_end(self, worker: WorkerProcess) -> Failure | None:
        if worker.silent_since is not None:
            late = awake_seconds() - worker.silent_since > REAP_TIMEOUT
            return causes.damaged() if late else None
        if not worker.ready:
            late = awake_seconds() - worker.since > START_SECONDS
            return Failure(phrase("one had not started after ten minutes"), "") if late else None
        if worker.job is None:
            return None
        if worker.overdue():
            return causes.too_slow(worker.job.limits)
        used = memory_of_tree(worker.process.pid, descendants(worker.process.pid))
        worker.peak = max(worker.peak, used)
        limit = worker.job.limits.memory
        if limit is not None and used > limit:
            return causes.too_large(worker.job.limits)
        return None
