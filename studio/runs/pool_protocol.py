"""Interface of pools: worker processes, this process, a cluster."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from studio.arrays import AnyArray
from studio.runs.limits import Limits
from studio.runs.pool import WorkerPool
from studio.runs.settings import RunSettings
from studio.runs.staging import TrialData
from studio.runs.trust import refuse_untrusted
from studio.runs.worker_group import Finished, Fold


class Pool(Protocol):
    """Takes jobs and returns their results."""

    @property
    def size(self) -> int:
        """Jobs at the same time, at least 1."""

    @property
    def apart(self) -> bool:
        """Whether jobs are done by other processes than this one."""

    @property
    def near(self) -> bool:
        """Whether jobs read and write files of this machine."""

    @property
    def restart_seconds(self) -> float:
        """How long it takes to replace a worker after :meth:`cancel_all` has ended its job."""

    @property
    def starting_seconds(self) -> float:
        """How long nothing can be done yet since no worker has started; 0 once one has."""

    @property
    def at_fold(self) -> Mapping[int, Fold]:
        """The fold that each job trains now, by job; empty where that is not known."""

    def stand_by(self) -> None:
        """Prepare for that, where it can be done."""

    def stage(self, name: str, array: AnyArray) -> Path:
        """Write an array of any shape where jobs can read it, and return the file's path."""

    def submit(self, job_id: int, job: dict[str, Any], limits: Limits | None = None) -> None:
        """Hand over a job of :mod:`studio.runs.jobs`; it waits in line if all are busy."""

    def wait(self, timeout: float) -> list[Finished]:
        """Return the jobs that are over; wait up to ``timeout`` seconds for the first of them."""

    def cancel_all(self) -> tuple[int, ...]:
        """Give up what runs and what waits; return the ids of those jobs."""


PoolMaker = Callable[[int, Path, Limits, TrialData], AbstractContextManager[Pool]]
"""Makes a pool of (workers, scratch folder, limits, data); closed at the end of a ``with``."""


def maker_for(settings: RunSettings, cluster: str = "") -> PoolMaker:
    """Return the factory of the pool that the settings ask for.

    Args:
        settings: Of the document.
        cluster: The address that a user of this machine has allowed; empty for none.

    Raises:
        UntrustedClusterError: If the settings name another one.
    """
    refuse_untrusted(settings.cluster, cluster)
    if not settings.cluster:
        return WorkerPool
    from studio.runs.cluster.pool import ClusterPool

    return partial(ClusterPool, address=settings.cluster, own_memory=settings.trial_memory is None)
