"""The single model that is best on rows which the search has never seen."""

from dataclasses import dataclass
from typing import ClassVar

from studio.ensembles.base import Ensemble, EnsembleBuilder, Metric, pool_of
from studio.errors import EnsembleError
from studio.trial import History, Trial


@dataclass(frozen=True)
class SelectionBest(EnsembleBuilder):
    """The trial with the lowest loss on D_S, the earliest of equals (thesis 3.2.2)."""

    key: ClassVar[str] = "selection-best"
    title: ClassVar[str] = "Best on selection rows"
    summary: ClassVar[str] = (
        "Takes the model that is best on rows kept aside for this choice alone. "
        "The search cannot have fitted itself to them."
    )
    reference: ClassVar[str] = "thesis 3.2.2"
    combines: ClassVar[bool] = False
    needs_selection: ClassVar[bool] = True

    def build(self, history: History, metric: Metric, seed: int) -> Ensemble:
        """Choose the argmin of the trials' selection losses."""
        best = min(scored(history), key=selection_loss)
        return Ensemble.from_choices([best.number], "mean")


def scored(history: History) -> list[Trial]:
    """Return the trials that have a loss on D_S, in order.

    Raises:
        EnsembleError: If there are none.
    """
    pool_of(history)
    found = [trial for trial in history.succeeded if trial.selection is not None]
    if not found:
        raise EnsembleError(
            "This choice reads the loss on selection rows, and no trial has one. Start a run that "
            "keeps some aside: evaluation.selection=0.2."
        )
    return found


def selection_loss(trial: Trial) -> float:
    """Return the loss on D_S of a trial that has one."""
    assert trial.selection is not None, "only scored trials are compared"
    return trial.selection
