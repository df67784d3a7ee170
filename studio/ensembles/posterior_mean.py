"""The configuration that the surrogate believes in most, refitted."""

from dataclasses import dataclass
from typing import ClassVar

from studio.ensembles.base import Ensemble, EnsembleBuilder, Metric
from studio.ensembles.single_best import SingleBest
from studio.trial import History


@dataclass(frozen=True)
class PosteriorMean(EnsembleBuilder):
    """The trial that concluded the run: argmin of the surrogate's posterior mean (thesis 3.4).

    An argmin of noisy losses is likely to pick a lucky one; the posterior mean smooths the noise.
    The proposer names the configuration when the budget is used, and it is trained as one more
    trial. Until then (or where that trial failed) the choice is the best by validation; a run that
    continues with a larger budget keeps its earlier conclusion until it draws the next.
    """

    key: ClassVar[str] = "posterior-mean"
    title: ClassVar[str] = "Posterior mean"
    summary: ClassVar[str] = (
        "Lets the surrogate name the best settings once the budget is used, and trains those. "
        "It is less easily fooled by one lucky trial."
    )
    reference: ClassVar[str] = "thesis 3.4"
    combines: ClassVar[bool] = False
    concludes: ClassVar[bool] = True

    def build(self, history: History, metric: Metric, seed: int) -> Ensemble:
        """Choose the newest concluding trial, or the best by validation."""
        concluding = [trial.number for trial in history.succeeded if trial.concluding]
        if concluding:
            return Ensemble.from_choices([concluding[-1]], "mean")
        return SingleBest().build(history, metric, seed)
