"""Proven starts, followed by a search for the greatest improvement of the ensemble per second."""

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Self
from weakref import WeakKeyDictionary

import numpy as np

from studio.acquisition.criteria import Criterion, LogExpectedImprovement
from studio.acquisition.maximisers.base import Maximiser
from studio.acquisition.maximisers.global_local import GlobalLocal
from studio.arrays import Floats
from studio.data.metrics.base import WeightedMetric
from studio.data.metrics.probabilities import BrierScore
from studio.ensembles.base import Metric as Judge
from studio.ensembles.base import combine, is_local
from studio.ensembles.greedy import GreedySelection
from studio.errors import OutOfTimeError
from studio.parts import option
from studio.phrases import phrase
from studio.proposers.base import Suggestion, SuggestionContext, suggest_random
from studio.proposers.bayesian import (
    AHEAD_HELP,
    ModelBased,
    Observations,
    SearchPhase,
    SurrogateView,
    get_trial_losses,
    predict_mixture,
)
from studio.proposers.portfolio import SpeedRatios, StartConfiguration, list_starts
from studio.seeds import derive
from studio.space.encoding import decode, encode, make_keys
from studio.surrogates.base import Posterior, Surrogate
from studio.surrogates.random_forest import RandomForest
from studio.trial import History, Value

TIME_MARGIN = 1.3
"""Minimum ratio of the remaining time to a trial's predicted seconds."""

UNTRIED_MARGIN = 2.0
"""The same for a learner without a finished trial: other learners' times predict it less well.

The time of an unfinished trial is lost; other starts and the search can make use of it.
"""

MIN_ELASTIC_SHARE = 0.4
"""Minimum ratio of the remaining time to the predicted seconds of a start with early stopping."""

MAX_START_SHARE = 1 / 3
"""Share of the remaining time after which a start with early stopping ends.

On some tables boosted trees improve for minutes, and no other learner would be tried.
"""

TRIAL_OVERHEAD = 0.5
"""Overhead of a trial in seconds, so that quick models have a cost."""

ENSEMBLE_SIZE = 25
"""Size of the ensemble that the search extends."""

OPENING_DIVISOR = 4
"""Divisor of the budget, or the time, that limits the initial random trials."""

MIN_PROVEN_STARTS = 5
"""Minimum number of valid starts; with fewer, the space is considered unknown, as one or two starts
may be valid by chance.
"""

START = "proven start"
"""Prefix of the origins of the portfolio's trials."""

MIN_SECONDS = 0.01
"""Seconds below which a trial's time is mostly overhead."""

REFIT_INTERVAL = 1.0
"""Seconds of training between fits of the surrogates, so that quick trials do not wait for them."""


def _make_out_of_time_error() -> OutOfTimeError:
    return OutOfTimeError("No further trial would finish in the time left.")


@dataclass(frozen=True)
class ProvenStarts(ModelBased):
    """A portfolio of starts, followed by the ensemble's expected improvement per second.

    The surrogate models the loss of the current greedily selected ensemble after adding each model.
    If the metric only uses labels, or is a function supplied by the caller, the loss is the squared
    error of probabilities, which distinguishes candidates with equal error; for a supplied function
    of values, the models' own losses are used. Candidates are ranked by log expected improvement
    minus ``haste`` times the log seconds predicted by a forest.

    If few starts are known for the space, random trials follow.

    Only trials that are expected to finish in the remaining time are suggested.
    """

    key = "proven-starts"
    title = "Proven starts, then a search"
    summary = (
        "Begins with configurations proven on many tables, each different from those before it. "
        "Then looks for the largest improvement of the ensemble per second."
    )
    reference = "Ensemble Studio's own (study: portfolio)"
    required_parts = ("surrogate", "maximiser")
    surrogate_target = phrase("ensemble loss")
    in_metric = False
    initial_phase_description = phrase(
        "The first trials are proven starts, then random ones where few are known for the "
        "space; the surrogate is used once they have been tried."
    )

    starts: int = option(
        25, low=0, high=100, unit="trials", help="Proven configurations, tried first."
    )
    opening: int | None = option(
        None,
        low=0,
        high=1000,
        kind=int,
        optional=True,
        unit="trials",
        help="Number of initial random trials in a space with few known starts; auto: as many as "
        "there are starts, at most a quarter of the budget or the time.",
    )
    haste: float = option(
        0.5,
        low=0.0,
        high=1.0,
        help=("Weight of training time: 0 ignores it, 1 maximises the gain per second."),
    )
    ahead: bool = option(True, help=AHEAD_HELP)
    surrogate: Surrogate = field(default_factory=RandomForest)
    acquisition: Criterion = field(default_factory=LogExpectedImprovement)
    maximiser: Maximiser = field(default_factory=GlobalLocal)

    @property
    def needs_predictions(self) -> bool:
        """True: the surrogate's targets require predictions of rows."""
        return True

    def is_immediate(self, context: SuggestionContext) -> bool:
        """Return whether the next suggestion is a start, which needs no computation."""
        return self._find_next_start(context) is not None

    def suggest(self, context: SuggestionContext) -> Suggestion:
        """Return the next start that fits into the time, or the search's suggestion.

        Its details: ``start``, the start's index, or ``acquisition``, the acquisition value.

        Raises:
            ExhaustedError: If every configuration of a finite space has been tried.
            OutOfTimeError: If no trial would finish in the remaining time.
        """
        next_start = self._find_next_start(context)
        if next_start is not None:
            index, start, seconds = next_start
            return Suggestion(
                start.configuration,
                phrase(
                    "proven start {place} of {n_starts}",
                    place=index,
                    n_starts=len(self._list_starts(context)),
                ),
                {"start": float(index)},
                seconds=seconds,
                limit=self._get_time_limit(context, start),
            )
        return self._search(context)

    # -- the portfolio ---------------------------------------------------------------------

    def _list_starts(self, context: SuggestionContext) -> tuple[StartConfiguration, ...]:
        rows = 0 if context.size is None else context.size.n_rows
        starts = list_starts(context.space, rows, regression=context.history.is_regression)
        return starts[: self.starts]

    def _find_next_start(
        self, context: SuggestionContext
    ) -> tuple[int, StartConfiguration, float | None] | None:
        """Return the first untried start in time: index, start, seconds; ``None`` if none."""
        starts = self._list_starts(context)
        if not starts:
            return None
        start_keys = make_keys(
            context.space, encode(context.space, [each.configuration for each in starts])
        )
        tried_keys = context.get_tried_keys()
        time_ratio = (
            None
            if context.size is None
            else self._estimate_speed_ratio(context, dict(zip(start_keys, starts, strict=True)))
        )
        for index, (start, key) in enumerate(zip(starts, start_keys, strict=True), start=1):
            if key in tried_keys:
                continue
            if time_ratio is None or context.size is None:
                return index, start, None
            seconds = time_ratio.get_time_ratio(start) * start.predict_seconds(context.size)
            seconds_left = context.seconds_left
            margin = TIME_MARGIN if time_ratio.has_ratio_for(start) else UNTRIED_MARGIN
            if seconds_left is None or margin * seconds <= seconds_left:
                return index, start, seconds
            if start.elastic and MIN_ELASTIC_SHARE * seconds <= seconds_left:
                return index, start, MIN_ELASTIC_SHARE * seconds
        return None

    def _get_time_limit(
        self, context: SuggestionContext, start: StartConfiguration
    ) -> float | None:
        """Return the seconds after which a start stops early; ``None`` without a limit."""
        if context.size is None or context.seconds_left is None or not start.elastic:
            return None
        return max(MAX_START_SHARE * context.seconds_left, 2 * start.predict_seconds(context.size))

    def _estimate_speed_ratio(
        self, context: SuggestionContext, by_key: Mapping[bytes, StartConfiguration]
    ) -> SpeedRatios:
        """Return the ratio of the starts' times on this machine to those on the study's machine."""
        assert context.size is not None, "asked only where the table is known"
        successful_trials = context.history.succeeded
        if not successful_trials:
            return SpeedRatios({})
        rows = make_keys(
            context.space,
            encode(context.space, [trial.configuration for trial in successful_trials]),
        )
        ratios: dict[Value, list[float]] = {}
        for trial, key in zip(successful_trials, rows, strict=True):
            if (start := by_key.get(key)) is not None:
                ratio = trial.fit_seconds / start.predict_seconds(context.size)
                ratios.setdefault(start.learner, []).append(ratio)
        return SpeedRatios(ratios)

    # -- the search ------------------------------------------------------------------------

    def with_budget(self, budget: int | None) -> Self:
        """Return the proposer with the number of initial random trials set, for unknown spaces."""
        if self.opening is not None:
            return self
        max_opening = self.starts if budget is None else budget // OPENING_DIVISOR
        return replace(self, opening=min(self.starts, max_opening))

    def count_initial_trials(self, context: SuggestionContext) -> int:
        """Return the number of initial trials before the surrogate is used.

        Candidates are mostly neighbours of good configurations, so after only two random trials a
        search may never leave their region of the space.
        """
        if len(self._list_starts(context)) >= MIN_PROVEN_STARTS:
            return self.initial
        opening, finished = self.opening or 0, context.history.trials
        if context.seconds_left is not None and finished:
            trial_seconds = TRIAL_OVERHEAD + statistics.fmean(
                trial.fit_seconds for trial in finished
            )
            # For a suggestion computed ahead, all workers' trials are pending.
            n_to_come = max(1, len(context.pending)) * context.seconds_left / trial_seconds
            opening = min(opening, int(context.n_started + n_to_come) // OPENING_DIVISOR)
        return max(self.initial, opening)

    def get_view(self, context: SuggestionContext) -> SurrogateView | None:
        """Return the surrogate for the next suggestion; ``None`` during the initial design.

        Several quick trials share one surrogate, as fitting it after each would take most of the
        time.
        """
        models = self._get_models(context)
        return None if models is None else models.view

    def _get_models(self, context: SuggestionContext) -> "_SurrogateModels | None":
        first = self.count_initial_trials(context)
        if context.n_started < first:
            return None
        history, n_known = context.history, count_training_trials(context.history, first)
        if n_known == len(history):
            return self._fit_models(context)
        # The cached state is a function of the first trials only, so results do not depend on the
        # cache.
        cached_state = _CACHE.get(history)
        if (
            cached_state is None
            or cached_state.n_trials != n_known
            or cached_state.proposer != self
        ):
            seed = derive(context.ensemble_seed, "surrogates", n_known)
            earlier_search = replace(
                context, history=history.take_first(n_known), pending=(), seed=seed
            )
            cached_state = _CACHE[history] = _CachedState(
                self, n_known, self._fit_models(earlier_search)
            )
        return cached_state.models

    def _fit_models(self, context: SuggestionContext) -> "_SurrogateModels | None":
        view = self.fit_all(context)
        return None if view is None else _SurrogateModels(view, self._fit_time_model(context))

    def _search(self, context: SuggestionContext) -> Suggestion:
        if context.seconds_left is not None and context.seconds_left <= 0:
            raise _make_out_of_time_error()  # as below, without fitting the surrogates
        models = self._get_models(context)
        if models is None:
            return suggest_random(context, "random start")
        view, seconds = models.view, models.seconds
        seconds_left = context.seconds_left

        def compute_utility(U: Floats) -> Floats:
            logs = seconds.predict(U)[0].mean(axis=0)
            values: Floats = view.acquisition(U) - self.haste * np.log(
                np.exp(logs) + TRIAL_OVERHEAD
            )
            if seconds_left is not None:
                values[TIME_MARGIN * np.exp(logs) > seconds_left] = -np.inf
            return values

        order = np.argsort(view.observations.targets, kind="stable")
        best = self.maximiser.maximise(
            context.space,
            compute_utility,
            incumbents=view.observations.U[order],
            avoid=context.get_tried_keys(),
            rng=np.random.default_rng([context.seed, 2]),
        )
        if not np.isfinite(best.value):
            raise _make_out_of_time_error()
        return Suggestion(
            decode(context.space, best.u[None, :])[0],
            phrase("gain for the ensemble per second"),
            {"acquisition": float(best.value)},
            predict_mixture(view.posterior, best.u),
            seconds=float(np.exp(seconds.predict(best.u[None, :])[0].mean())),
        )

    def _fit_time_model(self, context: SuggestionContext) -> Posterior:
        """Fit a forest to the log seconds of all trials, including failed ones."""
        trials = context.history.trials
        logs = np.log([max(trial.fit_seconds, MIN_SECONDS) for trial in trials])
        U = encode(context.space, [trial.configuration for trial in trials])
        return RandomForest().fit(context.space, U, logs, np.random.default_rng([context.seed, 6]))

    def compute_outcomes(self, context: SuggestionContext, phases: Sequence[SearchPhase]) -> Floats:
        """Return the loss of the ensemble at each trial's suggestion with the trial added, (t,)."""
        history = context.history
        if not history.comparable:
            return super().compute_outcomes(context, phases)
        pairs = [
            _compute_losses_with_each_model(
                context, history.take_first(each.n_finished), [each.number]
            )
            for each in phases
        ]
        return np.concatenate([np.empty(0), *pairs])

    def observe(self, context: SuggestionContext) -> Observations:
        """Return the ensemble's loss with each model added.

        Failed trials get the worst of these losses. If predictions cannot be combined, these are
        the models' own losses.
        """
        history = context.history
        if not history.comparable or not history.succeeded:
            return get_trial_losses(context)
        numbers = [trial.number for trial in history.succeeded]
        losses = np.full(len(history), -np.inf)
        losses[np.array(numbers) - 1] = _compute_losses_with_each_model(context, history, numbers)
        losses[np.isneginf(losses)] = losses.max()
        return Observations(
            U=encode(context.space, [trial.configuration for trial in history.trials]),
            targets=losses,
            numbers=np.arange(1, len(history) + 1, dtype=np.int64),
            label=self.surrogate_target,
        )


@dataclass(frozen=True)
class _SurrogateModels:
    """Models of the ensemble's loss and of log seconds, shared by several suggestions."""

    view: SurrogateView
    seconds: Posterior


@dataclass(frozen=True)
class _CachedState:
    """A proposer's state after the first trials of a history."""

    proposer: ProvenStarts
    n_trials: int
    models: _SurrogateModels | None


_CACHE: WeakKeyDictionary[History, _CachedState] = WeakKeyDictionary()
"""The last state of each existing history."""


def count_training_trials(history: History, first: int) -> int:
    """Return the number of trials on which the surrogates are trained, without recent quick trials.

    The surrogates are refitted whenever trials have trained for :data:`REFIT_INTERVAL` since the
    last fit, except during the ``first`` trials, which precede the first fit.
    """
    n_trials, seconds = 0, 0.0
    for number, trial in enumerate(history.trials, start=1):
        seconds += trial.fit_seconds
        if seconds >= REFIT_INTERVAL and number >= first:
            n_trials, seconds = number, 0.0
    return n_trials or len(history)


def _compute_losses_with_each_model(
    context: SuggestionContext, history_before: History, numbers: Sequence[int]
) -> Floats:
    """Return the loss of a history's ensemble with each model added, (k,); needs a success."""
    history = context.history
    judge = context.get_scoring_metric()
    if history.is_regression and is_local(judge):
        # Such a metric may be expensive; stored losses of the trials are free.
        return np.array([history.trials[number - 1].loss for number in numbers])
    guide = _choose_guiding_loss(judge, is_classification=not history.is_regression)
    ensemble = GreedySelection(size=ENSEMBLE_SIZE, loss="guided").build(
        history_before, judge, context.ensemble_seed
    )
    ensemble_sum = combine(history_before.get_predictions, ensemble) * ENSEMBLE_SIZE
    return np.array(
        [
            guide(
                history.truth,
                (ensemble_sum + history.get_predictions(number)) / (ENSEMBLE_SIZE + 1),
            )
            for number in numbers
        ]
    )


def _choose_guiding_loss(judge: Judge, *, is_classification: bool) -> Judge:
    """Return the loss that measures the ensemble's gain: the metric, or the Brier score."""
    if not is_classification or (
        getattr(judge, "prediction_type", "labels") != "labels" and not is_local(judge)
    ):
        return judge
    if isinstance(judge, WeightedMetric):
        return WeightedMetric(BrierScore(), judge.truth, judge.weights)
    return BrierScore()
