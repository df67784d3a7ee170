"""Interface of pools: worker processes, this process, a cluster."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from studio.arrays import AnyArray
from studio.runs.limits import TrialLimits
from studio.runs.pool import WorkerPool
from studio.runs.settings import RunSettings
from studio.runs.staging import TrialData
from studio.runs.trust import check_trusted
from studio.runs.worker_group import FinishedJob, Fold


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
