"""CMA-ES: a cloud of settings that moves and stretches towards the better ones."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import ClassVar

import numpy as np

from studio.arrays import Floats
from studio.parts import option
from studio.proposers.base import Proposer, Search, Suggestion, random_suggestion
from studio.seeds import derive
from studio.space.encoding import decode, encode, keys
from studio.space.space import Space
from studio.trial import History, Trial

_DRAWS = 4
"""Settings drawn from each generation's distribution, as a multiple of the population."""


@dataclass(frozen=True)
class CmaEs(Proposer):
    """Covariance matrix adaptation on the unit cube (Hansen; thesis 3.3, 4.4 and 5.5).

    One coordinate a hyperparameter, none imputed: a setting keeps its place also in coordinates
    that its choices make inactive. The strategy is that of the ``cmaes`` library, started in the
    middle of the cube; draws are clipped to the cube, and the clipped ones are what it is told.
    Trials 1…λ, λ+1…2λ, … (as they finish) are the generations: when λ more have finished, the
    distribution is updated, failed ones counting as the worst finite loss so far. ``plus`` lets
    the μ = ⌊λ/2⌋ best so far compete with the λ new ones (the thesis' (μ + λ), 3 + 6), ``comma``
    only the new ones.

    Each distribution has a list of draws of its own; a suggestion is the first of the newest list
    that was not tried. Several workers therefore take the next ones of the same list, and what
    finishes after the update counts, with its own place, to the generation in which it finishes.
    When a list is used up (small spaces of choices), draws are uniform. When the strategy has
    converged, it starts again from a random middle.
    """

    key: ClassVar[str] = "cma-es"
    title: ClassVar[str] = "CMA-ES"
    summary: ClassVar[str] = (
        "Draws a small generation of settings, then moves towards the better half and draws again. "
        "Strong where all settings are numbers, weak where there are choices."
    )
    reference: ClassVar[str] = "Hansen 2016, arXiv 1604.00772; thesis 3.3, 4.4 and 5.5"

    population: int | None = option(
        None,
        low=4,
        high=10_000,
        kind=int,
        optional=True,
        unit="trials",
        help="Trials of a generation (λ); auto: 4 + ⌊3 ln d⌋ for d hyperparameters.",
    )
    survival: str = option(
        "comma",
        choices=("comma", "plus"),
        help="Whether the best half of the population competes with the next one (plus) or not.",
    )
    step: float = option(
        0.3, low=0.01, high=1.0, help="First standard deviation, as a share of each range."
    )

    def suggest(self, search: Search) -> Suggestion:
        """Return the next unseen setting of the newest distribution."""
        if not search.space.dimensions:
            return random_suggestion(search, "random draw")
        replay = _replay(self, search.space, search.history, derive(search.ensemble_seed, "cma"))
        replay.advance()
        tried = search.tried()
        for key, row in replay.drawn.items():
            if key not in tried:
                origin = f"generation {replay.generation + 1}"
                return Suggestion(decode(search.space, row[None, :])[0], origin)
        return random_suggestion(search, "random draw")

    def size(self, dimensions: int) -> int:
        """Return λ for a number of hyperparameters, at least 1."""
        return self.population or 4 + math.floor(3 * math.log(dimensions))


@dataclass
class _Replay:
    """The strategy as a function of a history; follows the history as it grows."""

    part: CmaEs
    space: Space
    history: History
    seed: int
    generation: int = 0
    drawn: dict[bytes, Floats] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Start before the first trial."""
        self._size = self.part.size(self.space.dimensions)
        self._places: dict[bytes, Floats] = {}
        self._parents: list[tuple[Floats, float]] = []
        self._start(np.full(self.space.dimensions, 0.5))
        self._draw()

    def advance(self) -> None:
        """Take in the generations that have finished since the last time."""
        while len(self.history) >= (self.generation + 1) * self._size:
            begin = self.generation * self._size
            self._update(self.history.trials[: begin + self._size], begin)
            self.generation += 1
            self._draw()

    def _start(self, mean: Floats) -> None:
        # Few proposers need the library; whoever only opens the window does not wait for it.
        from cmaes import CMA

        self._strategy = CMA(mean=mean, sigma=self.part.step, population_size=self._size)

    def _draw(self) -> None:
        """List the draws of the present distribution; those of earlier ones stay known."""
        rng = np.random.default_rng([self.seed, self.generation])
        # Equal values, a vanished step or a flat valley: nothing more comes from going on.
        if self.generation and self._strategy.should_stop():
            self._start(rng.random(self.space.dimensions))
            self._parents = []
        self._strategy.reseed_rng(int(rng.integers(2**31)))
        count = _DRAWS * self._size
        U = np.clip([self._strategy.ask() for _ in range(count)], 0.0, 1.0)
        self.drawn = {}
        for key, row in zip(keys(self.space, U), U, strict=True):
            self.drawn.setdefault(key, row)
        self._places.update(self.drawn)

    def _update(self, trials: Sequence[Trial], begin: int) -> None:
        """Tell the strategy of the trials from ``begin`` on."""
        worst = max((trial.loss for trial in trials if trial.loss is not None), default=0.0)
        U = encode(self.space, [trial.configuration for trial in trials[begin:]])
        told = []
        for trial, key, row in zip(trials[begin:], keys(self.space, U), U, strict=True):
            # What was not drawn here says nothing about coordinates that it does not have.
            place = self._places.get(key, np.where(np.isnan(row), self._strategy.mean, row))
            told.append((place, worst if trial.loss is None else trial.loss))
        if self.part.survival == "plus":
            told = sorted(self._parents + told, key=lambda each: each[1])[: self._size]
            self._parents = told[: self._size // 2]
        self._strategy.tell(told)


@lru_cache(maxsize=4)
def _replay(part: CmaEs, space: Space, history: History, seed: int) -> _Replay:
    """Keep the replays of the last histories (told apart by identity: a history only grows)."""
    return _Replay(part, space, history, seed)
