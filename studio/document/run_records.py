"""Sealed records of a run."""

from dataclasses import dataclass
from typing import Any, Literal

from studio.document import sealing, shapes
from studio.document.decision import Decision
from studio.document.processes import Owner
from studio.document.results import Result
from studio.document.shapes import check_time
from studio.phrases import phrase

RunState = Literal["waiting", "running", "paused", "stopped", "finished", "failed"]

RESULT_LOST = phrase(
    "The end and the result of this run are lost; its trials are kept. Continue it to get the "
    "result again."
)
"""The message about its damage."""


@dataclass(frozen=True)
class Body:
    """The sealed record of a run; ``program`` is the version that created it."""

    name: str
    settings: dict[str, Any]
    table: int | None
    split: tuple[tuple[str, int], ...]
    created: float
    decision: Decision | None = None
    program: str = ""

    def __post_init__(self) -> None:
        """Reject an impossible time."""
        check_time(self.created)


@dataclass(frozen=True)
class Status:
    """The sealed status of a run; newer versions may add fields."""

    state: RunState = "waiting"
    message: str = ""
    result: Result | None = None


def unseal_body(run_id: int, sealed: object) -> Body:
    """Return a run's body.

    Raises:
        DamagedError: If it was changed; so do the others.
    """
    label = f"run {run_id}"
    return shapes.build(Body, sealing.unseal(sealed, label), label)


def unseal_status(run_id: int, sealed: object) -> Status:
    """Return the status of a run."""
    label = f"status {run_id}"
    return shapes.pick(Status, sealing.unseal(sealed, label), label)


def unseal_owner(run_id: int, sealed: object) -> Owner:
    """Return the owner of a run."""
    label = f"owner {run_id}"
    return shapes.build(Owner, sealing.unseal(sealed, label), label)
