"""Workers that load their libraries while the engine loads its own and reads the table."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from studio.document.store import Document
from studio.runs.limits import Limits
from studio.runs.pool import WorkerPool
from studio.runs.staging import TrialData
from studio.runs.workers_here import bound_workers
from studio.scratch import scratch_folder

if TYPE_CHECKING:
    from studio.runs.pools import PoolMaker


@contextmanager
def early_workers(document: Document, run_id: int) -> "Iterator[PoolMaker | None]":
    """Start the worker processes of a run before anything is known of its table.

    For commands that load the engine inside: on a machine with several cores both load at once.

    Yields
    ------
    PoolMaker or None
        For the engine; ``None`` where the run has no workers on this machine, or is over.
    """
    bound_workers(document, run_id)
    row = document.run(run_id)
    if row.settings.get("cluster") or row.state == "finished":
        yield None
        return
    with (
        scratch_folder() as folder,
        WorkerPool(int(row.settings["workers"]), folder, Limits(), None) as pool,
    ):

        def supplied(workers: int, scratch: Path, limits: Limits, data: TrialData) -> WorkerPool:
            del scratch  # they have a folder of their own
            assert workers == pool.size, "a run's settings say how many workers it has"
            pool.supply(limits, data)
            return pool

        yield supplied
