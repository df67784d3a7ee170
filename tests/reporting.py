"""A recording reporter."""

from studio.export.progress import ProgressReporter


class RecordingReporter(ProgressReporter):
    """Records all reports in ``said``, and notes also in ``notes``."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.notes: list[str] = []

    def report_progress(self, step: str, done: int, of: int) -> None:
        """Record the step."""
        self.said.append(step)

    def report_note(self, sentence: str) -> None:
        """Record the sentence."""
        self.said.append(sentence)
        self.notes.append(sentence)
