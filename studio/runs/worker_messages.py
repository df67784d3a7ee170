"""What a worker says, read by its types: a learner inside it may have written to our pipe."""

from dataclasses import asdict, dataclass
from typing import Literal

from studio.annotations import Reading, ShapeError
from studio.runs.causes import Failure
from studio.runs.messages import Message, MessageError
from studio.runs.outcomes import Refitted, TrialOutcome
from studio.trial import FailureKind, Training


@dataclass(frozen=True)
class Trained:
    """A training that gave something: what was measured, and what the user should know."""

    measured: Training
    note: str = ""


@dataclass(frozen=True)
class Failed:
    """A training that gave nothing: why, what to do about it, and what struck it."""

    cause: str
    remedy: str
    kind: FailureKind


@dataclass(frozen=True)
class WorkerMessage:
    """One message of a worker.

    Attributes
    ----------
    kind : str
        "ready" to work, job "begun", memory "stale" with earlier data, "broken", the "fold" that
        is trained now, or a "result".
    reason : str
        Why it is broken.
    job : int
        The job of a result.
    fold, folds : int
        Which fold is trained, from 1, and of how many.
    peak : int
        Its highest memory, bytes.
    retire : bool
        Whether it left something behind, so that the worker is replaced.
    result, failure : Trained or Failed or None
        One of them, of a result.
    """

    kind: Literal["ready", "begun", "stale", "broken", "fold", "result"]
    reason: str = ""
    job: int = 0
    fold: int = 0
    folds: int = 0
    peak: int = 0
    retire: bool = False
    result: Trained | None = None
    failure: Failed | None = None


_READ = Reading(floats=True).reader(WorkerMessage)

Result = TrialOutcome | Refitted | Failure


def understood(message: Message) -> tuple[WorkerMessage, Result | None]:
    """Return what a worker said, and the result that it brings, if it does.

    Raises
    ------
    MessageError
        If that is nothing that a worker says.
    """
    header, arrays = message
    try:
        said: WorkerMessage = _READ(header, {})
    except ShapeError as error:
        raise MessageError from error
    if said.kind != "result":
        return said, None
    if said.failure is not None:
        return said, Failure(**asdict(said.failure))
    if said.result is None:
        raise MessageError
    measured = said.result.measured.measured()
    if "validation" in arrays:
        others = arrays.get("test"), arrays.get("selection")
        return said, TrialOutcome(arrays["validation"], *others, note=said.result.note, **measured)
    numbered = [arrays.get(str(number)) for number in range(len(arrays))]
    predictions = tuple(each for each in numbered if each is not None)
    if len(predictions) < len(arrays):
        raise MessageError
    return said, Refitted(predictions, **measured)
