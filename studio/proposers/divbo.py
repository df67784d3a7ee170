"""DivBO: configurations expected to be good and different from the ensemble's members."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from studio.acquisition.maximisers.base import CandidateMaximiser, Maximiser
from studio.acquisition.maximisers.global_local import GlobalLocal, choose_argmax_at_random
from studio.arrays import Floats
from studio.data.tasks import Task
from studio.ensembles.diversity import get_history_diversity
from studio.ensembles.greedy import GreedySelection
from studio.errors import UsageError
from studio.parts import EnabledWhen, option
from studio.phrases import phrase
from studio.proposers.base import Suggestion, SuggestionContext
from studio.proposers.bayesian import ModelBased, predict_mixture
from studio.space.encoding import decode, encode
from studio.surrogates.diversity.base import DiversityPosterior, DiversitySurrogate
from studio.surrogates.diversity.lightgbm import LightGbmDiversity

DRAWS = 50
"""N of eq. 4 (not given in the paper); the mean has a seventh of the noise of a single draw."""


@dataclass(frozen=True)
class DivBO(ModelBased):
    """Diversity-aware Bayesian optimisation (DivBO algorithm 1; docs/methods/divbo.md).

    The temporary pool consists of the greedily selected ensemble of the trials so far, each member
    once (repetitions do not change the minimum diversity), and of the running trials, as two
    workers should not try similar models. The schedule's t counts started trials, so that it does
    not depend on the number of workers. Failed trials are excluded from the pairs; the loss
    surrogate uses them as usual.

    If the weight is 0, or fewer than two trials have predictions, the candidate with the highest
    expected improvement is chosen, exactly as in Bayesian optimisation with the same parts.
    """

    key = "divbo"
    title = "Diversity-aware Bayesian optimisation"
    summary = (
        "Prefers promising configurations, and among equally promising ones those expected to "
        "predict differently from the ensemble so far. A second surrogate learns the diversity "
        "of every pair of trials."
    )
    reference = "Shen et al. 2022 (DivBO), algorithm 1, eq. 3-5"

    required_parts = (*ModelBased.required_parts, "diversity")

    initial: int = option(
        5, low=0, high=1000, unit="trials", help="Random trials before the surrogates are used."
    )
    weight: str = option(
        "schedule",
        choices=("schedule", "fixed"),
        help="Let the weight of diversity grow with the trials, or keep it constant.",
    )
    beta: float = option(
        0.05,
        low=0.0,
        high=1.0,
        help="Twice the limit of the weight's schedule.",
        only=EnabledWhen("weight", ("schedule",)),
    )
    tau: float = option(
        0.2,
        low=0.0,
        high=10.0,
        help="How fast the schedule grows.",
        only=EnabledWhen("weight", ("schedule",)),
    )
    fixed_weight: float = option(
        0.1,
        low=0.0,
        high=100.0,
        help="The weight of diversity, if fixed.",
        only=EnabledWhen("weight", ("fixed",)),
    )
    not_maximal_reason = phrase(
        "Not the highest acquisition here: DivBO also prefers configurations expected to predict "
        "differently from the ensemble, and compares a limited number of them."
    )

    pool: int = option(
        25, low=1, high=1000, unit="choices", help="Size of the ensemble to differ from."
    )
    maximiser: Maximiser = field(default_factory=GlobalLocal)
    diversity: DiversitySurrogate = field(default_factory=LightGbmDiversity)

    def prepare(self, task: Task, parts: Mapping[str, Any]) -> Self:
        """Set the parts; raise UsageError for a maximiser without candidates to rank."""
        if not isinstance(parts["maximiser"], CandidateMaximiser):
            raise UsageError(
                "DivBO ranks one set of candidates twice, but the maximiser {maximiser!r} "
                "provides no candidates; use {other!r}.",
                maximiser=parts["maximiser"].key,
                other=GlobalLocal.key,
            )
        return super().prepare(task, parts)

    def compute_weight(self, t: int) -> float:
        """Return w, the weight of diversity after t started trials (eq. 5)."""
        if self.weight == "fixed":
            return self.fixed_weight
        return compute_saturating_weight(t, self.beta, self.tau)

    def get_diversity_surrogate(self) -> DiversitySurrogate:
        return self.diversity

    @property
    def needs_predictions(self) -> bool:
        """True: the pool and the pairs require predictions of rows."""
        return True

    def suggest(self, context: SuggestionContext) -> Suggestion:
        """Return the untried candidate with the lowest R_perf + w R_div.

        Its details: ``acquisition``, the performance acquisition's value; ``weight``, w; and, if
        diversity was considered, ``diversity``, the predicted diversity from the most similar
        member of the pool, and ``pool``, the pool's size.
        """
        view = None if self._is_interleaved(context) else self.get_view(context)
        if view is None:
            return super().suggest(context)
        assert isinstance(self.maximiser, CandidateMaximiser), "prepared() has rejected the others"
        rng = np.random.default_rng([context.seed, 2])
        order = np.argsort(view.observations.targets, kind="stable")
        rows = self.maximiser.draw_candidates(
            context.space, view.observations.U[order], context.get_tried_keys(), rng
        )
        acquisition = view.acquisition(rows)
        weight = self.compute_weight(context.n_started)
        pool = (
            self._make_pool(context)
            if weight > 0.0 and len(context.history.succeeded) > 1
            else None
        )
        if pool is None:
            chosen_index = choose_argmax_at_random(acquisition, rng)
            details = {}
        else:
            mean, variance = self._fit_diversity(context).predict(rows, pool)
            draws = np.random.default_rng([context.seed, 5])
            diversity_ranks = compute_least_diversity(mean, variance, DRAWS, draws)
            chosen_index = choose_argmax_at_random(
                -compute_rank_sum(acquisition, diversity_ranks, weight), rng
            )
            details = {"diversity": float(mean[chosen_index].min()), "pool": float(len(pool))}
        return Suggestion(
            decode(context.space, rows[chosen_index][None, :])[0],
            self.acquisition.title if pool is None else phrase("performance and diversity"),
            {"acquisition": float(acquisition[chosen_index]), "weight": weight, **details},
            predict_mixture(view.posterior, rows[chosen_index]),
        )

    def _make_pool(self, context: SuggestionContext) -> Floats:
        """Return the temporary pool and the running trials as unit rows, shape (p, D)."""
        history = context.history
        greedy = GreedySelection(size=self.pool, ties="seed")
        ensemble = greedy.build(history, context.get_scoring_metric(), context.ensemble_seed)
        members = [history.trials[number - 1].configuration for number in ensemble.members]
        return encode(context.space, [*members, *context.pending])

    def _fit_diversity(self, context: SuggestionContext) -> DiversityPosterior:
        """Fit the diversity surrogate to all pairs of successful trials."""
        _, diversities = get_history_diversity(context.history)
        rows = encode(context.space, [trial.configuration for trial in context.history.succeeded])
        return self.diversity.fit(rows, diversities, np.random.default_rng([context.seed, 4]))


def compute_saturating_weight(t: float, beta: float = 0.05, tau: float = 0.2) -> float:
    """Return w = beta (sigmoid(tau t) − 1/2), the weight of diversity at iteration t (eq. 5).

    It is 0 at t = 0 and grows towards beta / 2 (the text's range [0, beta) is a slip).
    """
    # sigmoid(x) − 1/2 = tanh(x / 2) / 2, which cannot overflow.
    return 0.5 * beta * math.tanh(0.5 * tau * t)


def compute_least_diversity(
    mean: Floats, variance: Floats, n_draws: int, rng: np.random.Generator
) -> Floats:
    """Return alpha_div, (q,): each candidate's expected diversity from the nearest member.

    alpha_div(x) = (1/N) Σ_n min_θ M_n(θ, x), M_n(θ, x) ~ N(mean, variance), all independent
    (eq. 4).

    Args:
        mean, variance: Shape (q, p). The diversity surrogate's predictions for q candidates and the
            p members of the pool.
        n_draws: N, at least 1.
        rng: Draws from the normal distributions.
    """
    standard_deviation = np.sqrt(variance)
    total: Floats = np.zeros(len(mean))
    for _ in range(n_draws):
        total += (mean + standard_deviation * rng.standard_normal(mean.shape)).min(axis=1)
    return total / n_draws


def compute_ranks(values: Floats) -> Floats:
    """Return ranks, shape (n,), in descending order from 1, with mean ranks for ties.

    The expected improvement of a forest is equal in all configurations that share their leaves;
    averaging keeps the sum of ranks independent of their number.
    """
    _, positions, counts = np.unique(-values, return_inverse=True, return_counts=True)
    max_ranks = np.cumsum(counts)
    mean_ranks: Floats = (max_ranks - 0.5 * (counts - 1))[positions]
    return mean_ranks


def compute_rank_sum(performance: Floats, diversity: Floats, weight: float) -> Floats:
    """Return alpha = R_perf + w R_div of each candidate, (n,), lowest is best (eq. 5).

    With n candidates the second term differs by at most w (n − 1), so only candidates whose R_perf
    is that close to the lowest can be chosen: 125 of 5,000, plus ties. But R_div ranks all
    candidates: omitting any of them from the diversity surrogate's predictions would change the
    ranks of the others.

    Args:
        performance, diversity: Shape (n,). Acquisition values, higher is better.
        weight: w, at least 0.
    """
    return compute_ranks(performance) + weight * compute_ranks(diversity)
