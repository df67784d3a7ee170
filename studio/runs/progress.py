"""Progress events of a run."""

from dataclasses import dataclass

from studio.learners.names import get_learner, get_short_title
from studio.measure import format_loss
from studio.trial import Trial


@dataclass(frozen=True)
class Progress:
    """A progress event of a run: a finished trial, or a message.

    Attributes:
        unit: The unit of losses (:func:`studio.measure.get_loss_unit`).
    """

    message: str = ""
    trial: Trial | None = None
    total: int | None = None
    best: float | None = None
    ensemble: float | None = None
    unit: str = ""

    def format_line(self) -> str:
        """Format the progress as one line."""
        if self.trial is None:
            return self.message
        total = f"/{self.total}" if self.total else ""
        if self.trial.concluding:
            total = " (final choice)"
        outcome = self.trial.cause or format_loss(self.trial.loss, self.unit)
        model = get_short_title(get_learner(self.trial.configuration))
        return (
            f"{self.trial.number:4}{total}  {model:28} {outcome:>10}   "
            f"best {format_loss(self.best, self.unit)}   "
            f"ensemble {format_loss(self.ensemble, self.unit)}"
        )
