"""Greedy forward selection as an ensemble builder."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Protocol

import numpy as np

from studio.arrays import AnyArray, Flags, Floats, Integers
from studio.data.metrics.base import WeightedMetric, normalise_rows
from studio.data.metrics.predicted_classes import ErrorRate
from studio.data.metrics.probabilities import LogLoss
from studio.data.metrics.weighting import compute_mean
from studio.ensembles.base import (
    Combination,
    Ensemble,
    EnsembleBuilder,
    Metric,
    break_tie,
    combine,
    get_pool,
    is_local,
    uses_probabilities,
)
from studio.ensembles.calibration import PRIOR_ROWS, PRIOR_ROWS_CHOSEN, fit_temperature
from studio.ensembles.log_errors import make_log_error_loss
from studio.ensembles.losses.base import EnsembleLoss
from studio.ensembles.losses.errors import ZeroOneLoss
from studio.ensembles.running import RunningEnsemble, make_running_ensemble
from studio.ensembles.screening import make_mean_error
from studio.ensembles.weights import count_effective_rows, make_exact_weights
from studio.errors import EnsembleError
from studio.parts import EnabledWhen, option
from studio.trial import History


class ForwardSearch(Protocol):
    """The state of an ensemble in forward selection."""

    def find_best(self, allowed: Flags) -> Integers:
        """Return all allowed candidates whose addition gives the lowest loss, ascending.

        ``allowed`` has shape (candidates,), the result (k,); k is 0 if none can be scored.
        """

    def add(self, index: int) -> None:
        """Add a candidate to the ensemble."""


def select_forward(
    search: ForwardSearch,
    n_candidates: int,
    size: int,
    *,
    rng: np.random.Generator,
    first: Sequence[int] = (),
    replacement: bool = True,
    single_losses: Floats | None = None,
) -> list[int]:
    """Select members one by one.

    Args:
        search: Scores candidates; initially empty.
        n_candidates: Number of candidates, with indices 0, 1, ….
        size: Number of choices.
        rng: Breaks ties: one draw for each step with ties.
        first: Initial members; they count towards the size.
        replacement: Whether a candidate may be chosen again. If not, selection ends when all are
            members.
        single_losses: Shape (candidates,). Each candidate's own loss, the first criterion for ties,
            before the draw.

    Returns:
        The choices in order; fewer if no further candidate can be scored.
    """
    choices = list(first[:size])
    is_allowed: Flags = np.ones(n_candidates, dtype=np.bool_)
    for index in choices:
        search.add(index)
        is_allowed[index] = replacement
    while len(choices) < size and is_allowed.any():
        tied = search.find_best(is_allowed)
        if not tied.size:
            break
        if single_losses is not None:
            tied = tied[single_losses[tied] == single_losses[tied].min()]
        index = break_tie(tied, rng)
        search.add(index)
        choices.append(index)
        is_allowed[index] = replacement
    return choices


def sort_by_single_loss(single_losses: Floats, count: int, rng: np.random.Generator) -> list[int]:
    """Return the candidates with the lowest own losses, shape (n,), ties in random order."""
    order = np.lexsort((rng.permutation(len(single_losses)), single_losses))
    return [int(index) for index in order[:count]]


class RunningSearch:
    """Search by an ensemble loss computed from running votes or sums of candidates."""

    def __init__(self, running: RunningEnsemble, numbers: Integers, loss: EnsembleLoss) -> None:
        self._running = running
        self._numbers = [int(number) for number in numbers]
        self._loss = loss

    def add(self, index: int) -> None:
        """Add a candidate's trial."""
        self._running.add(self._numbers[index])

    def find_best(self, allowed: Flags) -> Integers:
        """Return the allowed candidates with the lowest loss, shape (k,).

        ``allowed`` has shape (candidates,).
        """
        open_to = np.flatnonzero(allowed)
        losses = self._running.compute_candidate_losses(
            [self._numbers[i] for i in open_to], self._loss
        )
        best: Integers = open_to[losses == losses.min()]
        return best


class MetricSearch:
    """Search by any metric of the mean of predictions.

    Args:
        member: Predictions of a candidate by its index: shape (n, C) or (n,).
        truth: Shape (n,). True class codes or values.
        metric: Lower is better.
    """

    def __init__(
        self, member: Callable[[int], AnyArray], count: int, truth: AnyArray, metric: Metric
    ) -> None:
        self._member = member
        self._count = count
        self._truth = truth
        self._metric = metric
        self._size = 0
        self._total: Floats = np.zeros(member(0).shape, dtype=np.float64)

    def add(self, index: int) -> None:
        """Add a candidate's predictions to the sum."""
        self._total += self._member(index)
        self._size += 1

    def compute_losses(self, allowed: Flags) -> Floats:
        """Return the metric with each candidate added, infinite for disallowed or unscored ones.

        ``allowed`` and the result have shape (count,).

        Raises:
            EnsembleError: If the metric returns NaN.
        """
        losses = np.full(self._count, np.inf)
        for index in np.flatnonzero(allowed):
            mean = (self._total + self._member(int(index))) / (self._size + 1)
            losses[index] = self._metric(self._truth, mean)
            if np.isnan(losses[index]):
                raise EnsembleError(
                    "The metric gave {loss} for an ensemble of {size}; it must give a finite "
                    "number. Choose another metric, or more validation rows.",
                    loss=losses[index],
                    size=self._size + 1,
                )
        return losses

    def find_best(self, allowed: Flags) -> Integers:
        """Return the allowed candidates with the lowest metric, shape (k,).

        ``allowed`` has shape (count,).
        """
        losses = self.compute_losses(allowed)
        return np.flatnonzero((losses == losses.min()) & np.isfinite(losses))


MAX_NUMBERS = 50_000_000
"""Maximum number of probabilities of candidates; with more rows, a random subset is used."""


_TIE_PENALTY = 1e-5
"""Minimum lead of a class, in sums of probabilities, that does not count as a tie: above the
rounding of a sum of 25 in single precision, below that of a probability in half precision.
"""


class GuidedSearch:
    """Search by the error rate plus the Brier score of mean probabilities.

    On few rows many candidates do not change the error, and some lower it by chance; the squared
    error of the probabilities distinguishes the two (docs/studies/portfolio.md). Ties for the
    highest probability go to the first class, as in exported models; if ties counted as correct,
    two disagreeing models would never err. The Brier score of a mean is a quadratic form, so each
    candidate costs one pass over the rows, for the labels.

    Args:
        pool: Shape (n, C). Probabilities of each candidate.
        truth: Shape (n,). True class codes.
        weights: Shape (n,). ``None``: equal.
    """

    def __init__(
        self, pool: Sequence[AnyArray], truth: Integers, weights: Floats | None = None
    ) -> None:
        n_classes = pool[0].shape[1]
        max_rows = max(1, MAX_NUMBERS // (len(pool) * n_classes))
        selected_rows: slice | Integers = slice(None)
        if len(truth) > max_rows:
            selected_rows = np.sort(np.random.default_rng(0).permutation(len(truth))[:max_rows])
        truth = truth[selected_rows]
        self._truth = truth
        row_weights = np.ones(len(truth)) if weights is None else weights[selected_rows]
        self._shares = (row_weights / row_weights.sum()).astype(np.float32)
        # Classes on the first axis, so that maxima are computed for all rows together.
        self._pool = np.stack([
            np.ascontiguousarray(normalise_rows(each[selected_rows]).T, dtype=np.float32)
            for each in pool
        ])  # fmt: skip
        self._rows = np.arange(len(truth))
        weighted_pool = self._pool * self._shares
        flat = self._pool.reshape(len(pool), -1)
        self._squares = (flat @ weighted_pool.reshape(len(pool), -1).T).astype(np.float64)
        self._hits = weighted_pool[:, truth, self._rows].sum(axis=1, dtype=np.float64)
        self._total = np.zeros(self._pool.shape[1:], dtype=np.float32)
        self._total -= _TIE_PENALTY * np.arange(n_classes, dtype=np.float32)[:, None]
        self._scratch = np.empty_like(self._total)
        self._size = 0
        self._square = self._hit = 0.0
        self._dots = np.zeros(len(pool))

    def add(self, index: int) -> None:
        """Add a candidate's probabilities to the sum."""
        self._total += self._pool[index]
        self._square += 2.0 * self._dots[index] + self._squares[index, index]
        self._hit += self._hits[index]
        self._dots += self._squares[index]
        self._size += 1

    def compute_losses(self, allowed: Flags) -> Floats:
        """Return the loss with each candidate added, infinite for disallowed ones.

        ``allowed`` and the result have shape (len(pool),).
        """
        new_size = self._size + 1
        square = self._square + 2.0 * self._dots + self._squares.diagonal()
        brier = 0.5 * (square / new_size**2 - 2.0 * (self._hit + self._hits) / new_size + 1.0)
        new_losses = np.full(len(self._pool), np.inf)
        for index in np.flatnonzero(allowed):
            np.add(self._total, self._pool[index], out=self._scratch)
            is_wrong = self._scratch.max(axis=0) > self._scratch[self._truth, self._rows]
            new_losses[index] = float(self._shares @ is_wrong) + brier[index]
        return new_losses

    def find_best(self, allowed: Flags) -> Integers:
        """Return the allowed candidates with the lowest loss, shape (k,).

        ``allowed`` has shape (len(pool),).
        """
        losses = self.compute_losses(allowed)
        return np.flatnonzero(losses == losses.min())


_ROW_KNOTS = (100, 500, 2_500, 10_000, 100_000)
_CANDIDATE_KNOTS = (4, 8, 15, 40, 100)


@dataclass(frozen=True)
class GreedySelection(EnsembleBuilder):
    """Forward selection over all successful trials (Caruana et al. 2004; docs/methods/builders.md).

    EO-post and BO-post: start with the three best, ``combination`` auto, ``loss`` zero-one. DivBO's
    selection: empty start, 25 members, ``combination`` mean, ``loss`` zero-one.

    With ``combination`` auto members vote, unless the metric scores probabilities (log loss, Brier,
    AUC): then their mean is used and the metric minimised, as in Caruana et al.

    With the zero-one loss, tied votes contribute their expected error, while means are decided as
    in exports: the first of the most probable classes. Equal losses are resolved by the models' own
    losses, as in EO, then by a seeded draw: for a good ensemble most models do not change the
    error, and a purely random draw would add bad models. For regression the members' mean and the
    run's metric are always used.

    The ``guided`` loss is our extension (docs/studies/portfolio.md): for the error rate, the Brier
    score of the mean probabilities is added; for regression, or a metric that is a function of the
    caller (which may be slow), only the models with the lowest own losses are candidates, as many
    as the rows can distinguish (:func:`count_candidates`). If the errors of logarithms are normal,
    their mean square is minimised instead (:mod:`studio.ensembles.log_errors`). Other metrics are
    used unchanged.

    ``prefix`` returns, after all steps, to the shortest intermediate ensemble (not shorter than the
    start) with the lowest loss; the papers and auto-sklearn keep all steps. With ``bags`` the
    selection is repeated in that number of random subsets of the pool, and all choices form one
    ensemble of ``bags`` times as many votes (Caruana: 20 bags of half the pool; thesis figure 4.1
    starts each from its 5 best).

    ``calibrate`` fits a temperature for the mean probabilities of two or more members
    (:mod:`studio.ensembles.calibration`); labels do not change. With ``correct`` the ensemble at
    the end of a run may get a second layer (:mod:`studio.ensembles.correction`).
    """

    key: ClassVar[str] = "greedy"
    title: ClassVar[str] = "Greedy selection"
    summary: ClassVar[str] = (
        "Starts with nothing or the few best models and adds, one at a time, the model that "
        "helps the ensemble most. A model added more than once has more weight."
    )
    reference: ClassVar[str] = "Caruana et al. 2004; EO eq. 3-4; DivBO appendix A.1"

    size: int = option(
        25, low=1, high=1000, help="Total number of choices, including repeated ones."
    )
    start: int = option(0, low=0, high=1000, help="Number of best models to start from.")
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
        help=(
            "Minimise the error, or the run's metric; “guided” makes that robust against chance "
            "on few rows."
        ),
    )
    ties: str = option(
        "own",
        choices=("own", "seed"),
        help="How ties are broken: by the lower error of the candidate alone, or by a seeded draw.",
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
        help=(
            "Number of random parts of the pool whose selections are combined; 0: the whole pool "
            "at once."
        ),
    )
    bag_share: float = option(
        0.5, low=0.01, high=1.0, help="Size of each random part (bags), as a share of the pool."
    )
    calibrate: bool = option(
        False,
        help="Calibrate the mean probabilities; predicted classes do not change.",
        only=EnabledWhen("combination", ("mean",)),
    )

    correct: bool = option(
        False,
        help="Let small trees correct the final mean probabilities where out-of-fold predictions "
        "show a gain beyond chance (log loss only).",
        only=EnabledWhen("combination", ("mean",)),
    )

    def supports_correction(self, metric: Metric) -> bool:
        """Return whether a run's final ensemble can be corrected: if enabled, under log loss."""
        return self.correct and self.combination == "mean" and _is_metric_kind(metric, LogLoss)

    @property
    def always_votes(self) -> bool:
        """Whether voting was explicitly set."""
        return self.combination == "vote"

    def build(self, history: History, metric: Metric, seed: int) -> Ensemble:
        """Select from the history's successful trials."""
        if self.combination == "auto":
            return self.with_metric(metric).build(history, metric, seed)
        numbers = get_pool(history)
        rng = np.random.default_rng(seed)
        choices: list[int] = []
        for bag in self._draw_bags(numbers, rng):
            choices += self._select(history, bag, metric, rng)
        combination: Combination = "vote" if self._uses_votes(history) else "mean"
        return self.fit_temperature(Ensemble.from_choices(choices, combination), history, metric)

    def with_metric(self, metric: Metric) -> "GreedySelection":
        """Return the selection with its combination and objective set for a metric."""
        if self.combination != "auto":
            return self
        if uses_probabilities(metric):
            return replace(self, combination="mean", loss="metric")
        return replace(self, combination="vote")

    def get_search_loss(self, metric: Metric) -> EnsembleLoss | None:
        """Return the zero-one loss, if it is the objective."""
        return ZeroOneLoss() if self.with_metric(metric).loss == ZeroOneLoss.key else None

    def fit_temperature(self, ensemble: Ensemble, history: History, metric: Metric) -> Ensemble:
        """Return the ensemble at the temperature fitted to the pool's rows, if enabled."""
        mean = ensemble.combination == "mean" and not history.is_regression
        if not self.calibrate or not mean or len(ensemble.members) < 2:
            return ensemble
        probabilities = combine(history.get_predictions, replace(ensemble, temperature=1.0))
        # Selection by log loss already gives nearly calibrated mean probabilities.
        prior_rows = PRIOR_ROWS_CHOSEN if _is_metric_kind(metric, LogLoss) else PRIOR_ROWS
        temperature = fit_temperature(probabilities, history.truth, history.weights, prior_rows)
        return replace(ensemble, temperature=temperature)

    def _uses_votes(self, history: History) -> bool:
        return self.combination == "vote" and not history.is_regression

    def _draw_bags(self, numbers: Integers, rng: np.random.Generator) -> list[Integers]:
        """Return the subsets, (b,) each, of the pool, (t,), for the selections, each ascending."""
        if not self.bags:
            return [numbers]
        size = max(1, round(self.bag_share * len(numbers)))
        bags = (rng.choice(len(numbers), size, replace=False) for _ in range(self.bags))
        return [numbers[np.sort(positions)] for positions in bags]

    def _select(
        self, history: History, numbers: Integers, metric: Metric, rng: np.random.Generator
    ) -> list[int]:
        """Return the choices from one pool, (t,): trial numbers in order."""
        by_error = self.loss == "zero-one" and not history.is_regression
        if self.loss == "guided" and (history.is_regression or is_local(metric)):
            single_losses = np.array([history.trials[int(each) - 1].loss for each in numbers])
            if history.is_regression and history.weights is None and not is_local(metric):
                pool = [history.get_predictions(int(each)) for each in numbers]
                if (log_loss := make_log_error_loss(history.truth, pool)) is not None:
                    metric = log_loss
                    single_losses = np.array([metric(history.truth, each) for each in pool])
            numbers = _select_candidates(history, numbers, single_losses)
        if len(numbers) == 1:
            return [int(numbers[0])]
        if by_error:
            search, single_losses = self._make_error_search(history, numbers)
        elif self.loss == "guided" and _is_metric_kind(metric, ErrorRate):
            search, single_losses = self._make_guided_search(history, numbers)
        else:
            search, single_losses = self._make_metric_search(history, numbers, metric)
        first = sort_by_single_loss(single_losses, self.start, rng)
        selected = select_forward(
            search,
            len(numbers),
            self.size,
            rng=rng,
            first=first,
            replacement=self.replacement,
            single_losses=single_losses if self.ties == "own" else None,
        )
        choices = [int(numbers[index]) for index in selected]
        if self.prefix == "all":
            return choices
        min_length = max(1, min(len(first), self.size))
        losses = self._compute_prefix_losses(history, choices, None if by_error else metric)
        return choices[: min_length + int(losses[min_length - 1 :].argmin())]

    def _compute_prefix_losses(
        self, history: History, choices: list[int], metric: Metric | None
    ) -> Floats:
        """Return the loss after each choice by the metric, else the error, shape (k,)."""
        losses = np.empty(len(choices))
        if metric is None and self._uses_votes(history):
            running = make_running_ensemble(history)
            for index, number in enumerate(choices):
                losses[index] = running.compute_candidate_losses([number], ZeroOneLoss())[0]
                running.add(number)
            return losses
        member = self._make_member_function(history)
        total = np.zeros(member(choices[0]).shape)
        for index, number in enumerate(choices):
            total += member(number)
            if metric is None:
                losses[index] = compute_mean(total.argmax(axis=1) != history.truth, history.weights)
            else:
                losses[index] = metric(history.truth, total / (index + 1))
        return losses

    def _make_error_search(
        self, history: History, numbers: Integers
    ) -> tuple[ForwardSearch, Floats]:
        running = make_running_ensemble(history)
        single_losses = np.array([running.get_own_loss(int(number)) for number in numbers])
        if self._uses_votes(history):
            return RunningSearch(running, numbers, ZeroOneLoss()), single_losses
        pool = [history.get_predictions(int(number)) for number in numbers]
        return make_mean_error(
            pool, history.truth, weights=make_exact_weights(history.weights)
        ), single_losses

    def _make_guided_search(
        self, history: History, numbers: Integers
    ) -> tuple[ForwardSearch, Floats]:
        member = self._make_member_function(history)
        pool = [member(int(number)) for number in numbers]
        search = GuidedSearch(pool, history.truth, history.weights)
        return search, search.compute_losses(np.ones(len(numbers), dtype=np.bool_))

    def _make_metric_search(
        self, history: History, numbers: Integers, metric: Metric
    ) -> tuple[ForwardSearch, Floats]:
        by_number = self._make_member_function(history)

        def get_member(index: int) -> AnyArray:
            return by_number(int(numbers[index]))

        search = MetricSearch(get_member, len(numbers), history.truth, metric)
        return search, search.compute_losses(np.ones(len(numbers), dtype=np.bool_))

    def _make_member_function(self, history: History) -> Callable[[int], AnyArray]:
        """Return a trial's term of a mean, (n, C) or (n,): predictions or one-hot votes."""
        one_hot = np.eye(history.n_classes)

        def get_votes(number: int) -> AnyArray:
            return one_hot[history.get_votes(number)]

        def get_predictions(number: int) -> AnyArray:
            return history.get_predictions(number).astype(np.float64)

        return get_votes if self._uses_votes(history) else get_predictions


def count_candidates(n_rows: float) -> int:
    """Return the maximum number of candidates of the greedy selection on ``n_rows`` rows.

    AutoGluon's rule: 4 for 100 rows, 8 for 500, 15 for 2,500, 40 for 10,000, 100 for 100,000 and
    more, with logarithmic interpolation.
    """
    logs = np.interp(np.log(n_rows), np.log(_ROW_KNOTS), np.log(_CANDIDATE_KNOTS))
    return round(float(np.exp(logs)))


def _select_candidates(history: History, numbers: Integers, losses: Floats) -> Integers:
    """Return the trials, (k,), ascending, with the lowest losses among ``numbers``, (t,)."""
    rows = count_effective_rows(history.weights, len(history.truth))
    lowest = np.argsort(losses, kind="stable")[: count_candidates(rows)]
    return numbers[np.sort(lowest)]


def _is_metric_kind(metric: Metric, cls: type) -> bool:
    base_metric = metric.metric if isinstance(metric, WeightedMetric) else metric
    return isinstance(base_metric, cls)
