"""The agnostic Bayes ensemble: each model weighs as much as it is likely to be the best one."""

import dataclasses
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from studio.ensembles.base import (
    Combination,
    Ensemble,
    EnsembleBuilder,
    Metric,
    pool_of,
    reads_probabilities,
)
from studio.ensembles.bootstraps import BootstrapRisks, risks_of
from studio.parts import option
from studio.trial import History

PAPER = 75
"""N of the paper: half of its 150 trials. Used where a run's budget is not a number of trials."""

MOST = 1000
"""More bootstraps than this are drawn only when asked for: with 10⁵ rows they fill 100 MB."""


def bootstraps_for(budget: int | None) -> int:
    """Return N = ⌊M/2⌋ (SMBEO 4) for a budget of M trials, in [1, ``MOST``]; else ``PAPER``."""
    return PAPER if budget is None else min(max(budget // 2, 1), MOST)


@dataclass(frozen=True)
class AgnosticBayes(EnsembleBuilder):
    """p(h is best) by the bootstrap (SMBEO section 3; docs/methods/agnostic-bayes.md).

    N bootstraps of the validation rows are drawn once a run, from the seed of its ensembles; a
    member's weight is the share of them on which its loss is the lowest, equally good ones sharing
    the mass. With cross-validation the rows are all out-of-fold ones.

    Classes are decided by a weighted vote, the smallest on ties, values by the weighted mean. A
    metric that judges probabilities (log loss, Brier, AUC) makes no sense of votes: there, as in
    the first author's code, the weighted mean of the probabilities takes their place.
    """

    key: ClassVar[str] = "agnostic-bayes"
    title: ClassVar[str] = "Agnostic Bayes"
    summary: ClassVar[str] = (
        "Finds out on many resamples of the validation rows which model is best there. Each "
        "model is weighted by the share of resamples that it wins."
    )
    reference: ClassVar[str] = "SMBEO section 3, algorithm 1; Lacoste et al. 2014, Agnostic Bayes"

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
    combination: str = option(
        "auto",
        choices=("auto", "vote", "mean"),
        help="Weighted vote or mean; auto: mean for numbers and metrics of probabilities.",
    )

    @property
    def always_votes(self) -> bool:
        """Whether that was asked for."""
        return self.combination == "vote"

    def with_budget(self, budget: int | None) -> Self:
        """Decide how many bootstraps there are, where that is open."""
        if self.bootstraps is not None:
            return self
        return dataclasses.replace(self, bootstraps=bootstraps_for(budget))

    def risks(self, history: History, metric: Metric, seed: int) -> BootstrapRisks:
        """Return what each trial loses on each bootstrap, for the search as for the result."""
        found = risks_of(history, metric, self.bootstraps or PAPER, self.share, seed)
        found.advance()
        return found

    def build(self, history: History, metric: Metric, seed: int) -> Ensemble:
        """Weigh the history's successful trials; the heaviest comes first, the earlier of equals.

        Bootstraps are drawn from the seed; ties need none.
        """
        pool_of(history)
        risks = self.risks(history, metric, seed)
        shares, numbers = risks.shares(), risks.numbers
        order = np.lexsort((numbers, -shares))
        winners = order[: np.count_nonzero(shares)]
        return Ensemble(
            tuple(int(number) for number in numbers[winners]),
            tuple(float(share) for share in shares[winners]),
            self._combination(history, metric),
        )

    def _combination(self, history: History, metric: Metric) -> Combination:
        if history.is_regression or self.combination == "mean":
            return "mean"
        return "mean" if self.combination == "auto" and reads_probabilities(metric) else "vote"
