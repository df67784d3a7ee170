"""Bayesian optimisation: a surrogate of the loss, and maximisation of an acquisition."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

import numpy as np

from studio.acquisition.criteria import Criterion, ExpectedImprovement, LowerConfidenceBound
from studio.acquisition.maximisers.base import Acquisition, Maximiser
from studio.acquisition.maximisers.local_search import LocalSearch
from studio.arrays import Floats
from studio.parts import option
from studio.phrases import phrase
from studio.proposers.base import (
    PredictedObjective,
    Proposer,
    Suggestion,
    SuggestionContext,
    suggest_random,
)
from studio.space.encoding import decode, encode
from studio.surrogates.base import Posterior, Surrogate
from studio.surrogates.gp import GaussianProcess

CONCLUSION = phrase("posterior mean")
"""The origin of a concluding trial."""

INTERLEAVED = phrase("interleaved random")
"""The origin of a random trial interleaved with the surrogate's trials."""


@dataclass(frozen=True)
class Observations:
    """The training data of a surrogate.

    Attributes:
        U: Shape (n, n_dimensions). Configurations as unit rows, NaN where inactive.
        targets: Shape (n,). Observed values; lower is better.
        numbers: Shape (n,). The trials.
        label: Axis label of the targets in plots.
    """

    U: Floats
    targets: Floats
    numbers: np.ndarray[tuple[int], np.dtype[np.int64]]
    label: str


class SearchPhase(NamedTuple):
    """A trial's number, and the numbers of finished and of started trials at its suggestion."""

    number: int
    n_finished: int
    n_started: int


@dataclass(frozen=True)
class SurrogateView:
    """The surrogate used for the next suggestion."""

    observations: Observations
    posterior: Posterior
    acquisition: Acquisition


AHEAD_HELP = phrase(
    "Suggest the next trial while others are still running, so that no worker waits; otherwise "
    "it is suggested when they have ended."
)
"""The description of an option."""


@dataclass(frozen=True)
class ModelBased(Proposer):
    """Base of proposers with a surrogate, which differ in the surrogate's training data.

    Interleaved random trials are placed deterministically: trial i = 1, 2, … is random if ⌊i·share⌋
    increases, so a share of 0.5 makes every second trial random, as in SMAC.

    Attributes:
        surrogate_target: Display name of the surrogate's target.
        in_metric: Whether the target has the unit of the run's metric.
        initial_phase_description: A sentence about the first trials, before the surrogate is used.
        not_maximal_reason: Why the next trial may not have the highest acquisition, in a sentence.
    """

    required_parts: ClassVar[tuple[str, ...]] = ("surrogate", "acquisition", "maximiser")
    surrogate_target: ClassVar[str] = "validation loss"
    in_metric: ClassVar[bool] = True
    initial_phase_description: ClassVar[str] = phrase(
        "The first configurations are drawn at random, before the surrogate is used."
    )
    not_maximal_reason: ClassVar[str] = phrase(
        "Not the highest acquisition here: the search compares a limited number of configurations."
    )

    initial: int = option(
        2, low=0, high=1000, unit="trials", help="Random trials before the surrogate is used."
    )
    interleave: float = option(
        0.0, low=0.0, high=1.0, help="Share of random trials among those of the surrogate (SMAC)."
    )
    ahead: bool = option(False, help=AHEAD_HELP)
    surrogate: Surrogate = field(default_factory=GaussianProcess)
    acquisition: Criterion = field(default_factory=ExpectedImprovement)
    maximiser: Maximiser = field(default_factory=LocalSearch)

    def count_initial_trials(self, context: SuggestionContext) -> int:
        """Return the number of initial trials before the surrogate is used: here ``initial``."""
        del context  # only for proposers whose initial design depends on the space
        return self.initial

    def observe(self, context: SuggestionContext) -> Observations:
        """Return the surrogate's training data: here each trial's own loss."""
        return get_trial_losses(context)

    def compute_outcomes(self, context: SuggestionContext, phases: Sequence[SearchPhase]) -> Floats:
        """Return the objective of each trial at the time of its suggestion, shape (t,).

        The surrogate predicted the same quantity, so the two can be compared. Here it is the
        trial's own loss.

        Args:
            context: The run's current state.
            phases: Successful trials, in the order in which they finished.
        """
        losses = context.history.get_losses()
        return np.array([losses[each.number - 1] for each in phases])

    def get_view(self, context: SuggestionContext) -> SurrogateView | None:
        """Return the surrogate for the next or any past suggestion; ``None`` if none was used."""
        return (
            None
            if context.n_started < self.count_initial_trials(context)
            else self.fit_all(context)
        )

    def fit_all(self, context: SuggestionContext) -> SurrogateView | None:
        """Return the surrogate of all trials; ``None`` without training data."""
        if not context.history.succeeded:
            return None
        observations = self.observe(context)
        if not observations.targets.size:
            return None
        rng = np.random.default_rng([context.seed, 1])
        posterior = self.surrogate.fit(context.space, observations.U, observations.targets, rng)
        if context.pending:
            posterior = posterior.condition_on(encode(context.space, context.pending), rng)
        return SurrogateView(observations, posterior, Acquisition(posterior, self.acquisition))

    def suggest(self, context: SuggestionContext) -> Suggestion:
        """Return the untried configuration with the highest acquisition found."""
        is_initial = (
            context.n_started < self.count_initial_trials(context) or not context.history.succeeded
        )
        if self._is_interleaved(context) and not is_initial:
            return suggest_random(context, INTERLEAVED)
        view = self.get_view(context)
        if view is None:
            return suggest_random(context, "random start")
        order = np.argsort(view.observations.targets, kind="stable")
        maximum = self.maximiser.maximise(
            context.space,
            view.acquisition,
            incumbents=view.observations.U[order],
            avoid=context.get_tried_keys(),
            rng=np.random.default_rng([context.seed, 2]),
            gradient=view.acquisition.value_and_gradient,
        )
        return Suggestion(
            decode(context.space, maximum.u[None, :])[0],
            self.acquisition.title,
            {"acquisition": float(maximum.value)},
            predict_mixture(view.posterior, maximum.u),
        )

    def _is_interleaved(self, context: SuggestionContext) -> bool:
        n_started = context.n_started
        return math.floor((n_started + 1) * self.interleave) > math.floor(
            n_started * self.interleave
        )

    def conclude(self, context: SuggestionContext) -> Suggestion | None:
        """Return argmin over the whole space of the posterior mean of a trial's own loss.

        Thesis 3.4: tried configurations are also candidates, so the result may be one of them. The
        mean is over the surrogate's samples. Even if the surrogate models another target (EO), the
        conclusion is based on the single model's loss. ``None`` while no trial has succeeded.
        """
        if not context.history.succeeded:
            return None
        observations = get_trial_losses(context)
        rng = np.random.default_rng([context.seed, 3])
        posterior = self.surrogate.fit(context.space, observations.U, observations.targets, rng)
        lowest = Acquisition(posterior, LowerConfidenceBound(kappa=0.0))
        order = np.argsort(observations.targets, kind="stable")
        maximum = self.maximiser.maximise(
            context.space,
            lowest,
            incumbents=observations.U[order],
            avoid=frozenset(),
            rng=rng,
            gradient=lowest.value_and_gradient,
        )
        # Some maximisers never consider tried configurations.
        tried_values = lowest(observations.U)
        best = int(tried_values.argmax())
        if tried_values[best] >= maximum.value:
            configuration, value = context.history.trials[best].configuration, tried_values[best]
        else:
            configuration = decode(context.space, maximum.u[None, :])[0]
            value = maximum.value
        return Suggestion(configuration, CONCLUSION, {"posterior mean": -float(value)})


def predict_mixture(posterior: Posterior, u: Floats) -> PredictedObjective:
    """Return a posterior's prediction at a unit row, shape (D,), as a mixture of its models."""
    mean, sd = posterior.predict_mixture(u[None, :])
    return PredictedObjective(float(mean[0]), float(sd[0]))


def get_trial_losses(context: SuggestionContext) -> Observations:
    """Return each trial's own loss, with failures as the worst finite loss."""
    trials = context.history.trials
    return Observations(
        U=context.observed_points,
        targets=context.history.get_losses(),
        numbers=np.array([trial.number for trial in trials], dtype=np.int64),
        label="validation loss",
    )


@dataclass(frozen=True)
class BayesianOptimisation(ModelBased):
    """Sequential model-based optimisation of the validation loss (thesis 2.1–2.4)."""

    key = "bo"
    title = "Bayesian optimisation"
    summary = (
        "A surrogate learns from every trial to predict the loss of untried configurations. The "
        "next trial is where the surrogate expects the largest improvement over the best so far."
    )
    reference = "Snoek et al. 2012; thesis 2.1-2.4, 5.2-5.4"
