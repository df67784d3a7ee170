"""Creation of pools: worker processes started for a run or in advance, or a cluster."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Self

from studio.document.store import Document
from studio.errors import RunError
from studio.runs.limits import TrialLimits, limit_workers
from studio.runs.pool import PoolMaker, WorkerPool
from studio.runs.settings import RunSettings
from studio.runs.staging import TrialData
from studio.runs.trust import check_trusted
from studio.scratch import make_scratch_folder


def get_pool_maker(settings: RunSettings, cluster: str = "") -> PoolMaker:
    """Return the pool factory for the settings.

    Args:
        cluster: The address allowed by a user of this machine; empty for none.

    Raises:
        UntrustedClusterError: If the settings name a different cluster.
    """
    check_trusted(settings.cluster, cluster)
    if not settings.cluster:
        return WorkerPool
    from studio.runs.cluster.pool import ClusterPool

    return partial(
        ClusterPool, address=settings.cluster, shares_memory=settings.trial_memory is None
    )


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
        """Create a run's pool, as a :data:`studio.runs.pool.PoolMaker`.

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
