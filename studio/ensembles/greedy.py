"""Greedy forward selection as an ensemble builder."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from studio.arrays import AnyArray, Floats, Integers
from studio.data.metrics.predicted_classes import Error
from studio.data.metrics.probabilities import LogLoss
from studio.data.metrics.weighting import WeightedMetric, mean
from studio.ensembles.base import (
    Combination,
    Ensemble,
    EnsembleBuilder,
    Metric,
    combine,
    is_local,
    pool_of,
    reads_probabilities,
)
from studio.ensembles.calibration import FEW_ROWS, FEW_ROWS_CHOSEN, learned_temperature
from studio.ensembles.forward import (
    ForwardSearch,
    GuidedSearch,
    MetricSearch,
    RunningSearch,
    best_first,
    forward,
)
from studio.ensembles.losses.base import EnsembleLoss
from studio.ensembles.losses.errors import ZeroOne
from studio.ensembles.running import running_ensemble
from studio.ensembles.screening import mean_error
from studio.ensembles.weights import exact, rows_counted
from studio.parts import EnabledWhen, option
from studio.trial import History

_ROWS = (100, 500, 2_500, 10_000, 100_000)
_CANDIDATES = (4, 8, 15, 40, 100)


@dataclass(frozen=True)
class Greedy(EnsembleBuilder):
    """Forward selection over all successful trials (Caruana et al. 2004; docs/methods/builders.md).

    EO-post and BO-post: three best to start, ``combination`` auto, ``loss`` zero-one. DivBO's
    selection: empty start, 25 members, ``combination`` mean, ``loss`` zero-one.

    With ``combination`` auto members vote, unless the metric judges probabilities (log loss, Brier,
    AUC), of which votes say nothing: there their mean is taken and the metric lowered, as Caruana
    et al. do.

    With the zero-one loss, tied votes count their expected error, while means are
    decided as they are exported: the first class of the highest. Equal losses are settled by
    the models' own losses, as in EO, then by seeded choice: once an ensemble is good, most
    models leave its error as it is, and a blind draw among them would give bad ones a vote.
    Numbers cannot vote: for regression the members' mean and the run's metric are used whatever
    the options say.

    The ``guided`` loss is ours (docs/studies/portfolio.md): where the metric is the error rate, the
    Brier score of the mean probabilities is added to it; where numbers are predicted, or the metric
    is a function of the caller, which may be slow, only the best few models by themselves are
    candidates, as many as the rows can distinguish (:func:`candidates`). With other metrics it is
    the metric.

    ``prefix`` goes back, when all steps are made, to the shortest ensemble on the way (not shorter
    than the start) whose loss was lowest; the papers and auto-sklearn keep all steps. With ``bags``
    the selection is made in as many random parts of the pool, and the choices of all of them are
    one ensemble of ``bags`` times as many votes (Caruana: 20 bags of half the pool; thesis figure
    4.1 starts each from its 5 best).

    ``calibrate`` learns a temperature for the mean probabilities of two members or more
    (:mod:`studio.ensembles.calibration`); labels stay what they were.
    """

    key: ClassVar[str] = "greedy"
    title: ClassVar[str] = "Greedy selection"
    summary: ClassVar[str] = (
        "Starts with nothing or the few best models and adds, one at a time, the model that "
        "helps the ensemble most. A model that is added more than once has more weight."
    )
    reference: ClassVar[str] = "Caruana et al. 2004; EO eq. 3-4; DivBO appendix A.1"

    size: int = option(25, low=1, high=1000, help="Choices in all; repeated ones count.")
    start: int = option(0, low=0, high=1000, help="How many of the best models to start from.")
    replacement: bool = option(True, help="Whether a model may be chosen more than once.")
    combination: str = option(
        "mean",
        choices=("mean", "vote", "auto"),
        help="Average probabilities, or let models vote; auto: vote, but average for a metric of "
        "probabilities. Numbers are always averaged.",
    )
    loss: str = option(
        "zero-one",
        choices=("zero-one", "metric", "guided"),
        help="Lower the error, or the run's metric; guided guards that against luck on few rows.",
    )
    ties: str = option(
        "own",
        choices=("own", "seed"),
        help="Between equal candidates: the one that is better by itself, or a seeded draw.",
    )
    prefix: str = option(
        "all",
        choices=("all", "best"),
        help="Keep all choices, or go back to the step at which the loss was lowest.",
    )
    bags: int = option(
        0,
        low=0,
        high=1000,
        help=("Random parts of the pool to select from, then combined; 0: the whole pool."),
    )
    bag_share: float = option(
        0.5, low=0.01, high=1.0, help="Size of each random part (bags), as a share of the pool."
    )
    calibrate: bool = option(
        False,
        help="Calibrate the mean probabilities; predicted classes do not change.",
        only=EnabledWhen("combination", ("mean",)),
    )

    @property
    def always_votes(self) -> bool:
        """Whether that was asked for."""
        return self.combination == "vote"

    def build(self, history: History, metric: Metric, seed: int) -> Ensemble:
        """Select from the history's successful trials."""
        if self.combination == "auto":
            return self.decided(metric).build(history, metric, seed)
        numbers = pool_of(history)
        rng = np.random.default_rng(seed)
        chosen: list[int] = []
        for bag in self._bags(numbers, rng):
            chosen += self._select(history, bag, metric, rng)
        combination: Combination = "vote" if self._votes(history) else "mean"
        return self.calibrated(Ensemble.from_choices(chosen, combination), history, metric)

    def decided(self, metric: Metric) -> "Greedy":
        """Return the selection with its combination, and what it lowers, decided for a metric."""
        if self.combination != "auto":
            return self
        if reads_probabilities(metric):
            return replace(self, combination="mean", loss="metric")
        return replace(self, combination="vote")

    def searches_by(self, metric: Metric) -> EnsembleLoss | None:
        """Return the zero-one loss, where that is lowered."""
        return ZeroOne() if self.decided(metric).loss == ZeroOne.key else None

    def calibrated(self, ensemble: Ensemble, history: History, metric: Metric) -> Ensemble:
        """Return the ensemble at the temperature that fits the pool's rows, if that is wanted."""
        mean = ensemble.combination == "mean" and not history.is_regression
        if not self.calibrate or not mean or len(ensemble.members) < 2:
            return ensemble
        shares = combine(history.predictions, replace(ensemble, temperature=1.0))
        # The log loss has chosen members whose mean is nearly as sure as that wants it.
        few = FEW_ROWS_CHOSEN if _is(metric, LogLoss) else FEW_ROWS
        found = learned_temperature(shares, history.truth, history.weights, few)
        return replace(ensemble, temperature=found)

    def _votes(self, history: History) -> bool:
        return self.combination == "vote" and not history.is_regression

    def _bags(self, numbers: Integers, rng: np.random.Generator) -> list[Integers]:
        """Return the parts, (b,) each, of the pool, (t,), in which to select, each ascending."""
        if not self.bags:
            return [numbers]
        size = max(1, round(self.bag_share * len(numbers)))
        drawn = (rng.choice(len(numbers), size, replace=False) for _ in range(self.bags))
        return [numbers[np.sort(places)] for places in drawn]

    def _select(
        self, history: History, numbers: Integers, metric: Metric, rng: np.random.Generator
    ) -> list[int]:
        """Return the choices from one pool, (t,): trial numbers in their order."""
        by_error = self.loss == "zero-one" and not history.is_regression
        if self.loss == "guided" and (history.is_regression or is_local(metric)):
            numbers = _best_few(history, numbers)
        if len(numbers) == 1:
            return [int(numbers[0])]
        if by_error:
            search, own = self._by_error(history, numbers)
        elif self.loss == "guided" and _is(metric, Error):
            search, own = self._guided(history, numbers)
        else:
            search, own = self._by_metric(history, numbers, metric)
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
        choices = [int(numbers[index]) for index in chosen]
        if self.prefix == "all":
            return choices
        shortest = max(1, min(len(first), self.size))
        losses = self._prefix_losses(history, choices, None if by_error else metric)
        return choices[: shortest + int(losses[shortest - 1 :].argmin())]

    def _prefix_losses(self, history: History, choices: list[int], metric: Metric | None) -> Floats:
        """Return the loss after each choice, (k,): by the metric, or the error without one."""
        losses = np.empty(len(choices))
        if metric is None and self._votes(history):
            running = running_ensemble(history)
            for place, number in enumerate(choices):
                losses[place] = running.candidate_losses([number], ZeroOne())[0]
                running.add(number)
            return losses
        member = self._member(history)
        total = np.zeros(member(choices[0]).shape)
        for place, number in enumerate(choices):
            total += member(number)
            if metric is None:
                losses[place] = mean(total.argmax(axis=1) != history.truth, history.weights)
            else:
                losses[place] = metric(history.truth, total / (place + 1))
        return losses

    def _by_error(self, history: History, numbers: Integers) -> tuple[ForwardSearch, Floats]:
        running = running_ensemble(history)
        own = np.array([running.own_loss(int(number)) for number in numbers])
        if self._votes(history):
            return RunningSearch(running, numbers, ZeroOne()), own
        pool = [history.predictions(int(number)) for number in numbers]
        return mean_error(pool, history.truth, weights=exact(history.weights)), own

    def _guided(self, history: History, numbers: Integers) -> tuple[ForwardSearch, Floats]:
        member = self._member(history)
        pool = [member(int(number)) for number in numbers]
        search = GuidedSearch(pool, history.truth, history.weights)
        return search, search.losses(np.ones(len(numbers), dtype=np.bool_))

    def _by_metric(
        self, history: History, numbers: Integers, metric: Metric
    ) -> tuple[ForwardSearch, Floats]:
        by_number = self._member(history)

        def member(index: int) -> AnyArray:
            return by_number(int(numbers[index]))

        search = MetricSearch(member, len(numbers), history.truth, metric)
        return search, search.losses(np.ones(len(numbers), dtype=np.bool_))

    def _member(self, history: History) -> Callable[[int], AnyArray]:
        """Return what a trial brings into a mean, (n, C) or (n,): predictions or one-hot votes."""
        one_hot = np.eye(history.n_classes)

        def votes(number: int) -> AnyArray:
            return one_hot[history.votes(number)]

        def predictions(number: int) -> AnyArray:
            return history.predictions(number).astype(np.float64)

        return votes if self._votes(history) else predictions


def candidates(n_rows: float) -> int:
    """Return how many models the greedy selection may choose from on ``n_rows`` rows.

    AutoGluon's rule: 4 of 100 rows, 8 of 500, 15 of 2,500, 40 of 10,000, 100 of 100,000 and more,
    and in between by the logarithms.
    """
    logs = np.interp(np.log(n_rows), np.log(_ROWS), np.log(_CANDIDATES))
    return round(float(np.exp(logs)))


def _best_few(history: History, numbers: Integers) -> Integers:
    """Return trials, (k,), of (t,) with the lowest losses, ascending, as many as rows allow."""
    losses = np.array([history.trials[int(number) - 1].loss for number in numbers])
    rows = rows_counted(history.weights, len(history.truth))
    few = np.argsort(losses, kind="stable")[: candidates(rows)]
    return numbers[np.sort(few)]


def _is(metric: Metric, kind: type) -> bool:
    plain = metric.metric if isinstance(metric, WeightedMetric) else metric
    return isinstance(plain, kind)
