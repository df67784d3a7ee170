"""Progress reports of exports and predictions."""

from collections.abc import Callable

OnProgress = Callable[[str, int, int], None]
"""Called with the current step (a sentence without a full stop), the amount done, and the total.

A sentence with a full stop is no step but what to know of the next one.
"""

Stopped = Callable[[], bool]
"""Called several times a second: whether to cancel."""

TRAINING = "Training the members"
CHECKING = "Checking in a fresh process"
WRITING = "Writing"
PREDICTING = "Predicting"


def ignore_progress(what: str, done: int, of: int) -> None:
    """Default callback, without effect."""


def never_cancel() -> bool:
    """Never cancel."""
    return False
