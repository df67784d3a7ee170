"""Progress reports of exports and predictions."""

from collections.abc import Callable

OnProgress = Callable[[str, int, int], None]
"""Called with what is being done (a sentence without a full stop), how much of it, of how much."""

Stopped = Callable[[], bool]
"""Asked several times a second whether to give up."""

TRAINING = "Training the members"
CHECKING = "Checking in a fresh process"
WRITING = "Writing"
PREDICTING = "Predicting"


def silent(what: str, done: int, of: int) -> None:
    """Report nothing."""


def never() -> bool:
    """Continue to the end."""
    return False
