"""A reporter that keeps what is reported."""

from studio.export.progress import Reporter


class Recorded(Reporter):
    """Keeps all that is reported in ``said``, in its order, and notes in ``notes``, too."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.notes: list[str] = []

    def step(self, what: str, done: int, of: int) -> None:
        """Keep the step."""
        self.said.append(what)

    def note(self, sentence: str) -> None:
        """Keep the sentence."""
        self.said.append(sentence)
        self.notes.append(sentence)
