"""The process that conducts a study: start, status, and stop requests.

A window reads only the document, so the coordinator's state is stored there as a note.
"""

import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from studio.children import make_studio_command, start_detached
from studio.compare import study_notes
from studio.compare.choices import ComputeResources
from studio.document import shapes
from studio.document.processes import Owner
from studio.document.store import Document

if TYPE_CHECKING:
    import subprocess

Stage = Literal["reading", "working", "ended", "stopped", "refused"]

HEARTBEAT_SECONDS = 10.0
"""Interval of heartbeats, for processes that cannot check whether the coordinator is alive."""


def make_coordinator_command(document: Path, resources: ComputeResources) -> list[str]:
    """Return the command line of the coordinator of a document's study."""
    if resources.cluster:
        return make_studio_command("conduct", document, "--cluster", resources.cluster)
    return make_studio_command("conduct", document, "--workers", resources.workers)


def start_coordinator(document: Path, resources: ComputeResources) -> "subprocess.Popen[bytes]":
    """Start the coordinator of a document's study without waiting for it."""
    return start_detached(make_coordinator_command(document, resources))


@dataclass(frozen=True)
class CoordinatorState:
    """The coordinator's state in the document.

    Attributes:
        stage: "reading" data sets, "working" on cells, "ended" with nothing left to do, "stopped",
            or "refused" if the study cannot be conducted at all.
        failures: Names of skipped cells and data sets, with the reason.
        lanes: Number of cell workers.
        remaining_seconds: The estimated time until the end; ``None`` before a finished cell.
        beat: Unix time of the last heartbeat.
        cluster: The address of the scheduler whose workers do the work; empty for this machine.
    """

    owner: Owner
    lanes: int
    stage: Stage = "reading"
    reading: str = ""
    failures: Mapping[str, str] = field(default_factory=dict)
    message: str = ""
    beat: float = 0.0
    cluster: str = ""
    remaining_seconds: float | None = None

    @property
    def is_alive(self) -> bool:
        """Whether the process is alive and has not finished."""
        return self.stage in {"reading", "working"} and self.owner.is_alive(self.beat)


def load_coordinator(document: Document) -> CoordinatorState | None:
    """Return the last coordinator of the document's study; ``None`` if it had none."""
    state = document.notes.read_value(
        study_notes.COORDINATOR, partial(shapes.pick, CoordinatorState)
    )
    if state is None or document.is_owner_alive_here(state.owner):
        return state
    return replace(state, stage="stopped")


def request_stop(document: Document) -> None:
    """Ask the coordinator of the document's study to stop, keeping all results."""
    document.notes.set(study_notes.REQUEST, study_notes.STOP)


class StudyHeartbeat:
    """The coordinator's connection to the document: reports its state, and reads stop requests."""

    def __init__(self, document: Document, n_cell_workers: int, cluster: str = "") -> None:
        self._document = document
        self._state = CoordinatorState(
            document.get_current_owner(), n_cell_workers, cluster=cluster
        )
        document.notes.set(study_notes.REQUEST, None)
        self.report()

    def report(self, **values: Any) -> None:
        """Report the state: fields of :class:`CoordinatorState`."""
        self._last_beat = time.monotonic()
        self._state = replace(self._state, **values, beat=time.time())
        self._document.notes.set(study_notes.COORDINATOR, asdict(self._state))

    @property
    def is_due(self) -> bool:
        """Whether the next heartbeat is due."""
        return time.monotonic() - self._last_beat > HEARTBEAT_SECONDS

    def should_stop(self) -> bool:
        """Whether a stop was requested."""
        return bool(self._document.notes.get(study_notes.REQUEST) == study_notes.STOP)
