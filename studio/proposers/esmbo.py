"""ESMBO: the surrogate learns one bootstrap of the validation rows at a time."""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from studio.arrays import Floats
from studio.ensembles.agnostic_bayes import PAPER, AgnosticBayes, bootstraps_for
from studio.parts import option
from studio.phrases import phrase
from studio.proposers.base import Search
from studio.proposers.bayesian import Asked, ModelBased, Observations, own_losses


@dataclass(frozen=True)
class Esmbo(ModelBased):
    """Sequential model-based ensemble optimisation (SMBEO algorithm 2).

    N bootstraps of the validation rows are drawn once a run. Trial k is searched for on bootstrap
    v = ((k − 1) mod N) + 1: the surrogate is fitted to R_v, every trial's loss on it, so the N
    searches share all trials and each model is trained once. A suggestion made while others run is
    for the bootstrap that follows theirs. The members of the ensemble are each bootstrap's best.

    N is half of the trials that the run starts out with. It stays so when the budget grows later:
    with another N the trials of the past would have served other bootstraps, and a run that was
    stopped would continue differently from one that was not. With N = 1 the only "bootstrap" is the
    validation set itself, and this is ordinary Bayesian optimisation.
    """

    key: ClassVar[str] = "esmbo"
    title: ClassVar[str] = "Ensemble by bootstraps"
    summary: ClassVar[str] = (
        "Searches in turn for the best model on each of many resamples of the validation rows. "
        "The winners are different models, and together they are the ensemble."
    )
    reference: ClassVar[str] = "Lacoste et al. 2014, SMBEO, section 4, algorithm 2"
    learns: ClassVar[str] = "validation loss on a bootstrap"

    bootstraps: int | None = option(
        None,
        kind=int,
        optional=True,
        low=1,
        high=10_000,
        help=(
            "Resamples (N); auto: half the trials that the run starts with, 75 if only time "
            "is limited."
        ),
    )
    share: float = option(
        1.0, low=0.01, high=1.0, help="Size of a resample, as a share of the validation rows."
    )

    def with_budget(self, budget: int | None) -> Self:
        """Decide how many bootstraps there are, where that is open."""
        if self.bootstraps is not None:
            return self
        return dataclasses.replace(self, bootstraps=bootstraps_for(budget))

    def own_ensemble(self) -> AgnosticBayes:
        """Return the builder that weighs trials on the same bootstraps."""
        return AgnosticBayes(bootstraps=self.bootstraps or PAPER, share=self.share)

    def observe(self, search: Search) -> Observations:
        """Return every trial's loss on the bootstrap whose turn it is (R_v, line 4)."""
        own = own_losses(search)
        builder = self.own_ensemble()
        risks = builder.risks(search.history, search.scored_by(), search.ensemble_seed)
        if risks.count == 1:
            return own
        v = search.started % risks.count
        return dataclasses.replace(
            own,
            targets=risks.targets(v),
            label=phrase("validation loss on bootstrap {number}", number=v + 1),
        )

    def outcomes(self, search: Search, asked: Sequence[Asked]) -> Floats:
        """Return each trial's loss on the bootstrap that it was searched for, shape (t,)."""
        builder = self.own_ensemble()
        risks = builder.risks(search.history, search.scored_by(), search.ensemble_seed)
        if risks.count == 1:
            return super().outcomes(search, asked)
        return np.array(
            [risks.targets(each.started % risks.count)[each.number - 1] for each in asked]
        )
