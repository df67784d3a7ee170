"""Sobol points, the best of them improved by climbing, inside each branch of the space."""

from collections.abc import Set
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from studio.acquisition.maximisers.base import (
    SURROUNDED,
    Gradient,
    Maximiser,
    Maximum,
    Score,
    apart,
    choose,
)
from studio.acquisition.maximisers.climbs import climb
from studio.arrays import Flags, Floats, Integers
from studio.errors import UsageError
from studio.parts import option
from studio.space.encoding import snap
from studio.space.neighbours import neighbours
from studio.space.parameters import Float, Integer
from studio.space.sampling import sample
from studio.space.space import Space

_BRANCH_DRAWS = 1000
"""Random configurations in which the branches are looked for."""

_SETTLED = 3
"""Ends of climbs, the best ones, around which other whole numbers are tried."""


@dataclass(frozen=True)
class SobolLbfgs(Maximiser):
    """Sobol candidates in every branch, then climbs from the best (Snoek et al. 2012; SMBEO).

    Those papers climb by L-BFGS, one start after another; here all climb at once, by BFGS with a
    whole Hessian, to the same tops (:mod:`studio.acquisition.maximisers.climbs`).

    Choices, and whatever governs others, are fixed inside a branch; continuous and whole numbers
    move, the latter as if continuous, and are rounded at the end; since the nearest
    whole numbers need not be the best ones, neighbouring ones are then tried around the best ends
    for as long as they are better. Half of the starts are the best points of the most promising
    branches, one each; the others the most promising anywhere, neighbours of observed
    configurations included, no two close to each other.
    """

    key: ClassVar[str] = "sobol-lbfgs"
    title: ClassVar[str] = "Sobol + L-BFGS"
    summary: ClassVar[str] = (
        "Spreads points evenly and follows the slope uphill from the best of them. The most "
        "exact for numeric spaces."
    )
    reference: ClassVar[str] = "Snoek et al. 2012; SMBEO 2"

    points: int = option(1024, low=1, high=2**20, help="Sobol points over all branches.")
    starts: int = option(20, low=1, high=1000, help="Points from which the slope is followed.")
    iterations: int = option(
        50, low=1, high=10_000, help=("Maximum number of steps uphill from one start.")
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
        """Return the best unseen one of the points and ends of the climbs; incumbents (m, D)."""
        if gradient is None:
            raise UsageError(
                "The maximiser sobol-lbfgs needs a surrogate with gradients; "
                "choose local-search or random."
            )
        moving = _moving(space)
        spread, branch = _spread(space, moving, self.points, rng)
        around, _ = neighbours(space, incumbents[:SURROUNDED], rng)
        rows = np.concatenate([spread, around])
        values = score(rows)
        order = np.lexsort((rng.random(len(rows)), -values))
        # The best row of every branch comes first, the best branch at the head.
        ranked = order[order < len(spread)]
        _, first = np.unique(branch[ranked], return_index=True)
        of_branches = ranked[np.sort(first)[: max(1, self.starts // 2)]]
        starts = apart(rows[np.concatenate([of_branches, order])], self.starts)
        ends = snap(space, climb(gradient, starts, moving & ~np.isnan(starts), self.iterations))
        reached = score(ends)
        found, promise = [rows, ends], [values, reached]
        whole = moving & np.array([isinstance(p, Integer) for p in space.columns], dtype=bool)
        for end in np.argsort(-reached, kind="stable")[:_SETTLED].tolist():
            near, theirs = _settle(
                space, score, Maximum(ends[end], float(reached[end])), whole, rng
            )
            found.append(near)
            promise.append(theirs)
        return choose(space, score, np.concatenate(found), np.concatenate(promise), avoid, rng=rng)


def _settle(
    space: Space, score: Score, end: Maximum, whole: Flags, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Move a row's whole numbers to better ones nearby; return all met, (k, D), and scores, (k,).

    Args:
        end: A valid unit row and its score.
        whole: Shape (D,). The coordinates that may change.
    """
    row, value = end
    met, scores = [row[None, :]], [np.array([value])]
    while True:
        around, _ = neighbours(space, row[None, :], rng)
        same = (around == row) | np.isnan(row)
        around = around[same[:, ~whole].all(axis=1)]
        if not len(around):
            return np.concatenate(met), np.concatenate(scores)
        found = score(around)
        met.append(around)
        scores.append(found)
        if not (found > value).any():
            return np.concatenate(met), np.concatenate(scores)
        best = int(found.argmax())
        row, value = around[best], float(found[best])


def _moving(space: Space) -> Flags:
    """Return the coordinates that move inside a branch, (D,): numbers that govern nothing."""
    numbers = [isinstance(p, Float | Integer) and not space.children(p.name) for p in space.columns]
    return np.array(numbers, dtype=bool)


def _spread(
    space: Space, moving: Flags, points: int, rng: np.random.Generator
) -> tuple[Floats, Integers]:
    """Return valid rows (n, D), over every branch, and the branch of each, (n,); moving is (D,)."""
    # scipy.stats takes long to import and is needed by nothing else of a suggestion.
    from scipy.stats.qmc import Sobol

    drawn = sample(space, rng, _BRANCH_DRAWS)
    fixed = np.where(moving & ~np.isnan(drawn), 0.5, drawn)
    branches = np.unique(np.where(np.isnan(fixed), -1.0, fixed), axis=0)
    branches = rng.permutation(np.where(branches < 0.0, np.nan, branches))
    branches = branches[:points]
    free = moving & ~np.isnan(branches)
    # In proportion to their dimensions, as in the conditional kernel's precursor (gp_families).
    counts = np.maximum(1, points * free.sum(axis=1) // max(1, int(free.sum())))
    parts = []
    for pattern, moves, count in zip(branches, free, counts.tolist(), strict=True):
        rows = np.repeat(pattern[None, :], count, axis=0)
        if moves.any():
            sobol = Sobol(int(moves.sum()), scramble=True, rng=rng)
            # The sequence is balanced at powers of two only; what is over is left out.
            rows[:, moves] = sobol.random_base2((count - 1).bit_length())[:count]
        parts.append(rows)
    branch = np.repeat(np.arange(len(branches)), counts)
    return snap(space, np.concatenate(parts)), branch
