"""Where the cells of a study are worked on: lanes of this machine, or of a cluster."""

from contextlib import AbstractContextManager
from typing import Protocol

from studio.compare.lanes import Lanes, News
from studio.document.store import Document


class CellLanes(Protocol):
    """Works on several cells at the same time; ends them in good order when it is left."""

    @property
    def count(self) -> int:
        """Cells at the same time."""

    def free(self) -> bool:
        """Whether there is room for another cell."""

    def busy(self) -> bool:
        """Whether any cell is worked on."""

    def start(self, run_id: int) -> None:
        """Give a run to a free lane."""

    def wait(self, seconds: float) -> News | None:
        """Return the next news, ``None`` if there is none in this many seconds."""


def lanes_for(
    document: Document, most: int | None, cluster: str
) -> AbstractContextManager[CellLanes]:
    """Return the lanes of a study.

    Args:
        document: The study's.
        most: Cells at the same time; ``None``: as many as the cluster has room for.
        cluster: A scheduler's address or ``local:N``; empty for this machine.
    """
    if not cluster:
        assert most is not None, "this machine's cores are counted by who asks"
        return Lanes(document.path, most)
    from studio.compare.cluster.lanes import ClusterLanes

    return ClusterLanes(document, cluster, most)
