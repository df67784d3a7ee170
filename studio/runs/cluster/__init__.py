"""Trials on a Dask cluster (an optional extra), and the choice between it and local workers."""

from functools import partial

from studio.runs.pool import PoolMaker, WorkerPool
from studio.runs.settings import RunSettings
from studio.runs.trust import check_trusted


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
