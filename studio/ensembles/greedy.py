"""Greedy forward selection as an ensemble builder."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from studio.arrays import AnyArray, Floats, Integers
from studio.ensembles.base import Combination, Ensemble, EnsembleBuilder, Metric, pool_of
from studio.ensembles.forward import MetricSearch, RunningSearch, Search, best_first, forward
from studio.ensembles.losses.zero_one import ZeroOne
from studio.ensembles.running import running_ensemble
from studio.ensembles.screening import mean_error
from studio.parts import option
from studio.trial import History


@dataclass(frozen=True)
class Greedy(EnsembleBuilder):
    """Forward selection over all successful trials (Caruana et al. 2004; METHODS 9).

    EO-post and BO-post: three best to start, ``combination`` vote, ``loss`` zero-one. DivBO's
    selection: empty start, 25 members, ``combination`` mean, ``loss`` zero-one.

    With the zero-one loss, tied votes count their expected error (METHODS 6), while means are
    decided as they are exported: the first class of the highest. Equal losses are settled by
    the models' own losses, as in EO, then by seeded choice: once an ensemble is good, most
    models leave its error as it is, and a blind draw among them would give bad ones a vote. All
    steps are made; as in auto-sklearn, the best prefix is not looked for. Numbers cannot vote:
    for regression the members' mean and the run's metric are used whatever the options say
    (METHODS 10).
    """

    key: ClassVar[str] = "greedy"
    title: ClassVar[str] = "Greedy selection"
    summary: ClassVar[str] = (
        "Starts with nothing or the few best models and adds, one at a time, the model that helps "
        "the ensemble most. A model may be added more than once and then weighs more."
    )
    reference: ClassVar[str] = "Caruana et al. 2004; EO eq. 3-4; DivBO appendix A.1"

    size: int = option(25, low=1, high=1000, help="Choices in all; repeated ones count.")
    start: int = option(0, low=0, high=1000, help="How many of the best models to start from.")
    replacement: bool = option(True, help="Whether a model may be chosen more than once.")
    combination: str = option(
        "mean",
        choices=("mean", "vote"),
        help="Average the probabilities, or let each model vote; numbers are always averaged.",
    )
    loss: str = option(
        "zero-one",
        choices=("zero-one", "metric"),
        help="Lower the error, or the run's metric; for numbers always the metric.",
    )
    ties: str = option(
        "own",
        choices=("own", "seed"),
        help="Between equal candidates: the one that is better by itself, or a seeded draw.",
    )

    def build(self, history: History, metric: Metric, seed: int) -> Ensemble:
        """Select from the history's successful trials."""
        numbers = pool_of(history)
        rng = np.random.default_rng(seed)
        by_vote = self.combination == "vote" and not history.is_regression
        by_error = self.loss == "zero-one" and not history.is_regression
        if by_error:
            search, own = self._by_error(history, numbers, by_vote)
        else:
            search, own = self._by_metric(history, numbers, metric, by_vote)
        first = best_first(own, self.start, rng)
        chosen = forward(
            search,
            len(numbers),
            self.size,
            rng=rng,
            first=first,
            replacement=self.replacement,
            own=own if self.ties == "own" else None,
        )
        combination: Combination = "vote" if by_vote else "mean"
        return Ensemble.from_choices([int(numbers[index]) for index in chosen], combination)

    def _by_error(
        self, history: History, numbers: Integers, by_vote: bool
    ) -> tuple[Search, Floats]:
        running = running_ensemble(history)
        own = np.array([running.own_loss(int(number)) for number in numbers])
        if by_vote:
            return RunningSearch(running, numbers, ZeroOne()), own
        pool = [history.predictions(int(number)) for number in numbers]
        return mean_error(pool, history.truth), own

    def _by_metric(
        self, history: History, numbers: Integers, metric: Metric, by_vote: bool
    ) -> tuple[Search, Floats]:
        one_hot = np.eye(history.n_classes)

        def votes(index: int) -> AnyArray:
            return one_hot[history.votes(int(numbers[index]))]

        def predictions(index: int) -> AnyArray:
            return history.predictions(int(numbers[index])).astype(np.float64)

        member = votes if by_vote else predictions
        search = MetricSearch(member, len(numbers), history.truth, metric)
        return search, search.losses(np.ones(len(numbers), dtype=np.bool_))
