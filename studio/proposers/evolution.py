"""Evolutionary search: CMA-ES and neural ensemble search."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from studio.arrays import Floats
from studio.ensembles.greedy import GreedySelection
from studio.errors import UsageError
from studio.parts import option
from studio.phrases import phrase
from studio.proposers.base import Proposer, Suggestion, SuggestionContext, suggest_random
from studio.seeds import derive
from studio.space.encoding import decode, encode, make_keys
from studio.space.neighbours import find_neighbours
from studio.space.space import Space
from studio.trial import History, Trial

_DRAWS_PER_POINT = 4
"""Draws from each generation's distribution, as a multiple of the population."""


@dataclass(frozen=True)
class CmaEs(Proposer):
    """Covariance matrix adaptation on the unit cube (Hansen; thesis 3.3, 4.4 and 5.5).

    Each hyperparameter has one coordinate, without imputation: a point also has coordinates for
    inactive hyperparameters. The strategy is that of the ``cmaes`` library, started at the centre
    of the cube, with draws clipped to the cube. A point not drawn by the strategy (clipped, late,
    random or a parent) is moved towards the mean into the range of likely draws (Hansen 2011).

    Trials 1…λ, λ+1…2λ, … (in order of completion) are the generations: after every λ finished
    trials the distribution is updated; failed trials count as the worst finite loss so far.
    ``plus`` lets the μ = ⌊λ/2⌋ best so far compete with the λ new ones (the thesis' (μ + λ), 3 +
    6), ``comma`` only the new ones.

    Each distribution has a list of draws; a suggestion is the first untried draw of the newest
    list. Several workers therefore use the same list, and a trial that finishes after the update
    belongs to the generation in which it finishes. When a list is exhausted (in small categorical
    spaces), draws are uniform. When the strategy has converged, or few new draws are left, it
    restarts from a random mean.
    """

    key = "cma-es"
    title = "CMA-ES"
    summary = (
        "Draws a small generation of configurations, then moves towards the better half and draws "
        "again. Strong where all hyperparameters are numbers, weak where there are choices."
    )
    reference = "Hansen 2016 (arXiv 1604.00772) and 2011; thesis 3.3, 4.4 and 5.5"

    population: int | None = option(
        None,
        low=4,
        high=10_000,
        kind=int,
        optional=True,
        unit="trials",
        help="Trials per generation (λ). Auto: 4 + ⌊3 ln d⌋ for d hyperparameters.",
    )
    survival: str = option(
        "comma",
        choices=("comma", "plus"),
        help="Whether the best half competes with the next generation (plus) or not (comma).",
    )
    step: float = option(
        0.3,
        low=0.01,
        high=1.0,
        help="How far the first generation spreads: standard deviation, as a share of each range.",
    )

    def suggest(self, context: SuggestionContext) -> Suggestion:
        """Return the next untried draw from the newest distribution."""
        if not context.space.dimensions:
            return suggest_random(context, phrase("random draw"))
        replay = _replay(self, context.space, context.history, derive(context.ensemble_seed, "cma"))
        replay.advance()
        tried_keys = context.get_tried_keys()
        for key, row in replay.draws.items():
            if key not in tried_keys:
                origin = phrase("generation {number}", number=replay.generation + 1)
                return Suggestion(decode(context.space, row[None, :])[0], origin)
        return suggest_random(context, phrase("random draw"))

    def get_generation_size(self) -> int:
        """Return λ; raise UsageError if it depends on a space that is not yet known."""
        if self.population is None:
            raise UsageError(
                "The ensemble chooses among the survivors of each generation, but the number of "
                "trials per generation is not set. Set proposer.population, for example to 6."
            )
        return self.population

    def compute_size(self, n_dimensions: int) -> int:
        """Return λ for a number of hyperparameters, at least 1."""
        return self.population or 4 + math.floor(3 * math.log(n_dimensions))


class _EvaluatedPoint(NamedTuple):
    """A point, (D,), its loss, and whether it is an unclipped draw of the current distribution."""

    coordinates: Floats
    loss: float
    exact: bool


@dataclass
class _Replay:
    """The strategy and its draws (D,) by key, as a function of a history, updated as it grows."""

    part: CmaEs
    space: Space
    history: History
    seed: int
    generation: int = 0
    draws: dict[bytes, Floats] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Reset to the state before the first trial."""
        self._size = self.part.compute_size(self.space.dimensions)
        self._points_by_key: dict[bytes, Floats] = {}
        self._finished_keys: set[bytes] = set()
        self._parents: list[_EvaluatedPoint] = []
        self._start(np.full(self.space.dimensions, 0.5))
        self._draw()

    def advance(self) -> None:
        """Process the generations finished since the last call."""
        while len(self.history) >= (self.generation + 1) * self._size:
            begin = self.generation * self._size
            self._update(self.history.trials[: begin + self._size], begin)
            self.generation += 1
            self._draw()

    def _start(self, mean: Floats) -> None:
        # Imported on use, to keep the window's start fast.
        from cmaes import CMA

        self._strategy = CMA(mean=mean, sigma=self.part.step, population_size=self._size)

    def _draw(self) -> None:
        """Draw from the current distribution and record the draws."""
        rng = np.random.default_rng([self.seed, self.generation])
        self._list(rng)
        # A flat optimum, or steps so small that all draws give the same configuration.
        is_exhausted = len(self.draws.keys() - self._finished_keys) < self._size
        if self.generation and (is_exhausted or self._strategy.should_stop()):
            self._start(rng.random(self.space.dimensions))
            self._parents = []
            self._list(rng)
        self._points_by_key.update(self.draws)
        self._inner_numbers = {
            k for k, row in self.draws.items() if ((row > 0.0) & (row < 1.0)).all()
        }

    def _list(self, rng: np.random.Generator) -> None:
        self._strategy.reseed_rng(int(rng.integers(2**31)))
        draws = [self._strategy.ask() for _ in range(_DRAWS_PER_POINT * self._size)]
        U = np.clip(draws, 0.0, 1.0)
        self.draws = {}
        for key, row in zip(make_keys(self.space, U), U, strict=True):
            self.draws.setdefault(key, row)

    def _update(self, trials: Sequence[Trial], begin: int) -> None:
        worst_loss = max((trial.loss for trial in trials if trial.loss is not None), default=0.0)
        U = encode(self.space, [trial.configuration for trial in trials[begin:]])
        names = make_keys(self.space, U)
        self._finished_keys.update(names)
        evaluated_points = []
        for trial, key, row in zip(trials[begin:], names, U, strict=True):
            # Foreign trials have no values for their inactive coordinates.
            point = self._points_by_key.get(key, np.where(np.isnan(row), self._strategy.mean, row))
            loss = worst_loss if trial.loss is None else trial.loss
            evaluated_points.append(_EvaluatedPoint(point, loss, key in self._inner_numbers))
        if self.part.survival == "plus":
            evaluated_points = sorted(
                [*self._parents, *evaluated_points], key=lambda each: each.loss
            )[: self._size]
            self._parents = [
                each._replace(exact=False) for each in evaluated_points[: self._size // 2]
            ]
        self._strategy.tell(
            [
                (
                    each.coordinates
                    if each.exact
                    else self._clip_to_likely_range(each.coordinates),
                    each.loss,
                )
                for each in evaluated_points
            ]
        )

    def _clip_to_likely_range(self, point: Floats) -> Floats:
        """Return the point, (D,), moved into the range of likely draws (Hansen 2011, eq. 4).

        Otherwise a single distant point would distort a strategy with small steps.
        """
        B, D = self._strategy._eigen_decomposition()
        mean = self._strategy.mean
        length = float(np.linalg.norm((point - mean) @ B / D)) / self._strategy._sigma
        n = len(point)
        max_length = math.sqrt(n) + 2 * n / (n + 2)
        return np.asarray(mean + (point - mean) * (max_length / max(length, max_length)))


@lru_cache(maxsize=2)
def _replay(part: CmaEs, space: Space, history: History, seed: int) -> _Replay:
    """Return the cached replay of one of the last histories (by identity, as histories grow)."""
    return _Replay(part, space, history, seed)


@dataclass(frozen=True)
class NeuralEnsembleSearch(Proposer):
    """NES with regularised evolution (Zaidi et al. 2021; DivBO's baseline).

    The population consists of the most recently finished trials; each new trial replaces the
    oldest, whatever its loss. Until it is full, trials are random. Then an ensemble is selected on
    it, without replacement (by error of the mean probabilities, or the run's metric for
    regression), a random member becomes the parent, and the child differs from it in one active
    hyperparameter, drawn uniformly, like a one-exchange neighbour. Unlike in NES, which copies a
    third of the parents unchanged, no configuration is tried twice. If all neighbours of all
    members have been tried, the child is a random draw.
    """

    key = "nes"
    title = "Ensemble evolution"
    summary = (
        "Keeps a population of recent configurations and breeds from the members of the best "
        "ensemble. A child differs from its parent in one hyperparameter."
    )
    reference = "Zaidi et al. 2021 (NES-RE); Real et al. 2019; DivBO 4.1 and A.4"

    population: int = option(
        30,
        low=2,
        high=10_000,
        unit="trials",
        help=("Number of the most recent trials in the population."),
    )
    parents: int = option(
        10,
        low=1,
        high=1000,
        unit="members",
        help=("Size of the ensemble from which parents are drawn."),
    )

    @property
    def needs_predictions(self) -> bool:
        """True: parents are members of an ensemble."""
        return True

    def suggest(self, context: SuggestionContext) -> Suggestion:
        """Return an untried neighbour of a member of the population's ensemble."""
        history = context.history
        recent = history.trials[-self.population :]
        if context.n_started < self.population or all(trial.loss is None for trial in recent):
            return suggest_random(context, "random start")
        rng = np.random.default_rng([context.seed, 1])
        members = self._select_members(context)
        tried_keys = context.get_tried_keys()
        for member in rng.permutation(members):
            parent = history.trials[int(member) - 1].configuration
            row = encode(context.space, [parent])
            child = _draw_child(context, row, tried_keys, rng)
            if child is not None:
                configuration = decode(context.space, child[None, :])[0]
                return Suggestion(configuration, phrase("child of trial {member}", member=member))
        return suggest_random(context, phrase("random draw"))

    def _select_members(self, context: SuggestionContext) -> list[int]:
        history = context.history
        recent = history.trials[-self.population :]
        population = history.select_trials([trial.number for trial in recent])
        selection = GreedySelection(size=self.parents, replacement=False)
        seed = derive(context.ensemble_seed, "nes", len(history))
        ensemble = selection.build(population, context.get_scoring_metric(), seed)
        return [recent[member - 1].number for member in ensemble.members]


def _draw_child(
    context: SuggestionContext, row: Floats, tried_keys: set[bytes], rng: np.random.Generator
) -> Floats | None:
    """Return an untried one-exchange neighbour (D,) of a row (1, D); ``None`` if there is none."""
    candidates, _ = find_neighbours(context.space, row, rng)
    unseen = np.array(
        [key not in tried_keys for key in make_keys(context.space, candidates)], dtype=bool
    )
    candidates = candidates[unseen]
    if not len(candidates):
        return None
    # A changed coordinate is active in both rows; switched ones are active in only one.
    changed_column = (~np.isnan(row) & ~np.isnan(candidates) & (candidates != row)).argmax(axis=1)
    column = rng.choice(np.unique(changed_column))
    return np.asarray(candidates[rng.choice(np.flatnonzero(changed_column == column))])
