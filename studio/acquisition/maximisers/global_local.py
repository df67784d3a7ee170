"""Random search for the acquisition's maximum, optionally also around the best trials."""

from collections.abc import Set
from dataclasses import dataclass

import numpy as np

from studio.acquisition.maximisers.base import (
    CandidateMaximiser,
    Gradient,
    Maximiser,
    Maximum,
    Score,
    choose_maximum,
    draw_untried,
)
from studio.arrays import Floats
from studio.parts import option
from studio.space.encoding import make_keys, sample
from studio.space.neighbours import find_neighbours
from studio.space.space import Space

_N_INCUMBENTS = 10
"""Number of the best observed configurations to sample around (SMAC: 10)."""


def choose_argmax_at_random(values: Floats, rng: np.random.Generator) -> int:
    """Return the index of the maximum of values, shape (n,); ties are broken at random."""
    return int(rng.choice(np.flatnonzero(values == values.max())))


@dataclass(frozen=True)
class GlobalLocal(CandidateMaximiser):
    """argmax over 4,950 uniform draws and 50 neighbours of the best trials (DivBO A.4)."""

    key = "global-local"
    title = "Global and local candidates"
    summary = (
        "Considers thousands of random configurations and some close to the best trials. Works "
        "for every kind of search space and any surrogate."
    )
    reference = "DivBO 3.2 and appendix A.4"

    everywhere: int = option(
        4950, low=1, high=1_000_000, help=("Number of random configurations tried.")
    )
    around: int = option(
        50, low=0, high=100_000, help="Random configurations close to the ten best trials."
    )

    def draw_candidates(
        self, space: Space, incumbents: Floats, avoid: Set[bytes], rng: np.random.Generator
    ) -> Floats:
        """Draw at least one distinct untried configuration, (n, D), NaN where inactive.

        The candidates are uniform draws over the tree and random one-exchange neighbours of the ten
        best observed configurations. Tried configurations and duplicates are removed, so a small
        finite space may yield far fewer. (Duplicates would distort the ranks.)

        Args:
            incumbents: Shape (m, D). Observed configurations, best first; m may be 0.
            rng: The same state gives the same candidates.

        Raises:
            ExhaustedError: If every configuration has been tried.
        """
        random_rows = sample(space, rng, self.everywhere)
        local_rows, _ = find_neighbours(space, incumbents[:_N_INCUMBENTS], rng)
        untried_rows = [
            row for row, key in enumerate(make_keys(space, local_rows)) if key not in avoid
        ]
        chosen_rows = rng.permutation(untried_rows)[: self.around].astype(np.int64)
        rows = np.concatenate([random_rows, local_rows[chosen_rows]])
        first: dict[bytes, int] = {}
        for row, key in enumerate(make_keys(space, rows)):
            if key not in avoid:
                first.setdefault(key, row)
        if not first:
            return draw_untried(space, avoid, rng)[None, :]
        return rows[list(first.values())]

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
        """Return the best candidate; incumbents have shape (m, D)."""
        del gradient
        rows = self.draw_candidates(space, incumbents, avoid, rng)
        values = score(rows)
        choice = choose_argmax_at_random(values, rng)
        return Maximum(rows[choice].copy(), float(values[choice]))


@dataclass(frozen=True)
class RandomCandidates(Maximiser):
    """argmax over configurations drawn uniformly from the tree (thesis 5.5: 1,000)."""

    key = "random"
    title = "Random candidates"
    summary = (
        "Evaluates many random configurations and picks the most promising. Simple and robust."
    )
    reference = "thesis 5.3.2 and 5.5"

    samples: int = option(
        1000, low=1, high=1_000_000, help=("Number of random configurations tried.")
    )

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
        """Return the best untried random candidate; incumbents, shape (m, D), are unused."""
        del incumbents, gradient
        samples = sample(space, rng, self.samples)
        return choose_maximum(space, score, samples, score(samples), avoid, rng=rng)
