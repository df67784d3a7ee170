"""Interface of acquisition maximisers, and the acquisition as a function of unit rows."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Set
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from studio.acquisition.criteria import Criterion
from studio.arrays import Floats
from studio.errors import ExhaustedError
from studio.parts import Part
from studio.phrases import count_phrase
from studio.space.encoding import make_keys, sample
from studio.space.neighbours import find_neighbours
from studio.space.space import Space
from studio.surrogates.base import Posterior

_DRAWS = (1, 16, 1000)
"""Batch sizes of the random draws that precede the walk."""


def draw_untried(space: Space, avoid: Set[bytes], rng: np.random.Generator) -> Floats:
    """Return the unit row, shape (D,), of a configuration whose key is not in ``avoid``.

    Uniform over the tree as long as random draws find one. A nearly exhausted space is searched
    from neighbour to neighbour: every configuration can be reached by changing one hyperparameter
    at a time, so the walk finds an untried one or proves that there is none, after at most
    ``len(avoid)`` configurations.

    Raises:
        ExhaustedError: If every configuration has been tried.
    """
    sampled_rows = np.empty((0, space.dimensions))
    for draws in _DRAWS:
        sampled_rows = sample(space, rng, draws)
        for row, key in zip(sampled_rows, make_keys(space, sampled_rows), strict=True):
            if key not in avoid:
                return row
    seen_keys: set[bytes] = set()
    first_rows = sampled_rows
    while len(first_rows):
        new_rows = []
        for row, key in zip(first_rows, make_keys(space, first_rows), strict=True):
            if key not in avoid:
                return row
            if key not in seen_keys:
                seen_keys.add(key)
                new_rows.append(row)
        if not new_rows:
            break
        first_rows, _ = find_neighbours(space, np.array(new_rows), rng)
    raise ExhaustedError(
        count_phrase(
            "The only configuration of the search space has been tried; widen a range or add a "
            "hyperparameter to continue.",
            "All {count:,} configurations of the search space have been tried; widen a range or "
            "add a hyperparameter to continue.",
            len(avoid),
        )
    )


@dataclass(frozen=True)
class Acquisition:
    """A criterion averaged over a posterior's models (thesis eq. 2.17)."""

    posterior: Posterior
    criterion: Criterion

    def __call__(self, U: Floats) -> Floats:
        """Return the value of each unit row (NaN where inactive), shape (n,)."""
        mean, variance = self.posterior.predict(U)
        return self.criterion.average(
            self.criterion.compute_values(mean, variance, self.posterior.best[:, None])
        )

    def value_and_gradient(self, U: Floats) -> tuple[Floats, Floats]:
        """Return values (n,) and gradients (n, D); raise SurrogateError if there are none."""
        best = self.posterior.best[:, None]
        mean, variance, d_mean, d_variance = self.posterior.predict_with_gradients(U)
        values = self.criterion.compute_values(mean, variance, best)
        by_mean, by_variance = self.criterion.compute_derivatives(mean, variance, best)
        weights = self.criterion.average_gradient(values)
        gradient: Floats = np.einsum("sn,snd->nd", weights * by_mean, d_mean) + np.einsum(
            "sn,snd->nd", weights * by_variance, d_variance
        )
        return self.criterion.average(values), gradient


Score = Callable[[Floats], Floats]
"""Maps unit rows (n, D), NaN where inactive, to values (n,); higher is better."""

Gradient = Callable[[Floats], tuple[Floats, Floats]]
"""Maps unit rows (n, D) to values (n,) and their gradients (n, D)."""


N_NEIGHBOUR_CENTRES = 200
"""Number of best observed configurations whose neighbours are candidate starts."""

_MIN_DISTANCE = 0.1
"""Minimum distance between two starts in at least one coordinate."""

_EXAMINED_FACTOR = 50
"""Number of rows examined for distant starts, as a multiple of the number of starts."""

_FIRST_BATCH = 50
"""Number of highest-scoring rows whose keys are checked first."""


class Maximum(NamedTuple):
    """The result of a maximisation: a valid unit row (D,), NaN where inactive, with its value."""

    u: Floats
    value: float


class Maximiser(Part, ABC):
    """Searches the space for the configuration with the highest acquisition."""

    @abstractmethod
    def maximise(
        self,
        space: Space,
        score: Score,
        incumbents: Floats,
        avoid: Set[bytes],
        rng: np.random.Generator,
        *,
        gradient: Gradient | None = None,
    ) -> Maximum:
        """Return the best configuration found that is not excluded.

        Args:
            incumbents: Shape (m, D). Observed configurations, best first; m may be 0.
            avoid: Row keys (:func:`studio.space.encoding.make_keys`) of tried or running
                configurations.

        Raises:
            ExhaustedError: If every configuration of the space is in ``avoid``.
            UsageError: If gradients are needed but unavailable.
        """


class CandidateMaximiser(Maximiser):
    """Base of maximisers over a single set of candidates, which other methods may rank."""

    @abstractmethod
    def draw_candidates(
        self, space: Space, incumbents: Floats, avoid: Set[bytes], rng: np.random.Generator
    ) -> Floats:
        """Return untried configurations, (n, D), n > 0; raise ExhaustedError if there are none."""


def choose_maximum(
    space: Space,
    score: Score,
    U: Floats,
    values: Floats,
    avoid: Set[bytes],
    *,
    rng: np.random.Generator,
) -> Maximum:
    """Return the highest-scoring row that is not excluded; ties are broken at random.

    If all are in ``avoid``, an untried configuration is drawn instead.

    Args:
        space, score, avoid, rng: See :meth:`Maximiser.maximise`.
        U: Shape (n, D). Valid unit rows; rows may repeat.
        values: Shape (n,). Their scores.

    Raises:
        ExhaustedError: If every configuration of the space is in ``avoid``.
    """
    ranked = np.argsort(-values, kind="stable")
    # The first few nearly always suffice, which saves computing the other keys.
    for n_examined in (_FIRST_BATCH, len(ranked)):
        rows = ranked[:n_examined]
        untried_rows = rows[[key not in avoid for key in make_keys(space, U[rows])]]
        highest = untried_rows[values[untried_rows] == values[untried_rows].max(initial=-np.inf)]
        # Rows beyond the first few may tie with the last of them.
        if len(rows) == len(ranked) or (
            len(untried_rows) and values[highest[0]] > values[rows[-1]]
        ):
            break
    if not len(untried_rows):
        unseen = draw_untried(space, avoid, rng)
        return Maximum(unseen, float(score(unseen[None, :])[0]))
    choice = int(rng.choice(highest))
    return Maximum(U[choice].copy(), float(values[choice]))


def find_distant_starts(ranked: Floats, max_starts: int) -> Floats:
    """Return up to ``max_starts`` mutually distant rows (k, D) of ``ranked`` (n, D), best first."""
    # An inactive coordinate is far from every value.
    dense = np.where(np.isnan(ranked), -1.0, ranked)[: _EXAMINED_FACTOR * max_starts]
    remaining = np.ones(len(dense), dtype=bool)
    indices: list[int] = []
    while len(indices) < max_starts and remaining.any():
        first = int(remaining.argmax())
        indices.append(first)
        remaining &= np.abs(dense - dense[first]).max(axis=1, initial=0.0) > _MIN_DISTANCE
    return ranked[indices]
