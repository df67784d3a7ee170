"""The best single model as an ensemble of one."""

from dataclasses import dataclass
from typing import ClassVar

from studio.ensembles.base import Ensemble, EnsembleBuilder, Metric, pool_of
from studio.trial import History


@dataclass(frozen=True)
class SingleBest(EnsembleBuilder):
    """The trial with the lowest validation loss (thesis 2.1), the earliest of equals.

    A draw among equals would let the best single model of a live plot jump about.
    """

    key: ClassVar[str] = "single-best"
    title: ClassVar[str] = "Best single model"
    summary: ClassVar[str] = (
        "Takes the one model with the lowest validation loss. "
        "The yardstick that every ensemble has to beat."
    )
    reference: ClassVar[str] = "EO section 2; thesis 2.1 (argmin of the validation loss)"
    combines: ClassVar[bool] = False

    def build(self, history: History, metric: Metric, seed: int) -> Ensemble:
        """Choose the argmin of the trials' losses, which are the metric's already."""
        numbers = pool_of(history)
        losses = history.losses()[numbers - 1]
        return Ensemble.from_choices([int(numbers[losses.argmin()])], "mean")
