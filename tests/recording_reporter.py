"""A recording reporter."""

from studio.export.progress import ProgressReporter


class RecordingReporter(ProgressReporter):
    """Records all reports in ``reports``, and notes also in ``notes``."""

    def __init__(self) -> None:
        self.reports: list[str] = []
        self.notes: list[str] = []

    def report_progress(self, step: str, done: int, of: int) -> None:
        """Record the step."""
        self.reports.append(step)

    def report_note(self, sentence: str) -> None:
        """Record the sentence."""
        self.reports.append(sentence)
        self.notes.append(sentence)
