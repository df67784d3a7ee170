"""Progress reports of exports and predictions."""

from collections.abc import Callable

StopCheck = Callable[[], bool]
"""Polled several times a second; returns whether to cancel."""

TRAINING = "Training the members"
CHECKING = "Checking in a fresh process"
WRITING = "Writing"
PREDICTING = "Predicting"


class ProgressReporter:
    """Receives the progress of a task; this one ignores it."""

    def report_progress(self, step: str, done: int, of: int) -> None:
        """Report the current step (a phrase, no full stop), the amount done, and the total."""

    def report_note(self, sentence: str) -> None:
        """Report a note about the next steps."""


SILENT_REPORTER = ProgressReporter()


def never_cancel() -> bool:
    """Never cancel."""
    return False
