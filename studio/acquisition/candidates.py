"""Candidates from everywhere and from around the best trials (DivBO 3.2 and appendix A.4)."""

from collections.abc import Set

import numpy as np

from studio.acquisition.unseen import draw_unseen
from studio.arrays import Floats
from studio.space.encoding import keys
from studio.space.neighbours import neighbours
from studio.space.sampling import sample
from studio.space.space import Space

WELL_PERFORMING = 10
"""Observed configurations, the best ones, around which is sampled (SMAC: 10)."""


def global_and_local(
    space: Space,
    incumbents: Floats,
    avoid: Set[bytes],
    rng: np.random.Generator,
    *,
    everywhere: int,
    around: int,
) -> Floats:
    """Draw configurations that were not tried, no two of them equal.

    ``everywhere`` uniform draws over the tree; ``around`` random one-exchange neighbours of the
    ten best observed configurations. What was tried and what is there already is then left out: in
    a small finite space far fewer are left. (Left in, copies of one configuration would fill the
    ranks between two others.)

    Args:
        space: Where to look.
        incumbents: Shape (m, D). Observed configurations, the best first; m may be 0.
        avoid: Row keys of configurations tried or running.
        rng: The same state gives the same candidates.
        everywhere, around: How many are drawn.

    Returns:
        Shape (n, D). Valid unit rows, n at least 1, NaN where inactive.

    Raises:
        ExhaustedError: If every configuration has been tried.
    """
    drawn = sample(space, rng, everywhere)
    near, _ = neighbours(space, incumbents[:WELL_PERFORMING], rng)
    untried = [row for row, key in enumerate(keys(space, near)) if key not in avoid]
    rows = np.concatenate([drawn, near[rng.permutation(untried)[:around].astype(np.int64)]])
    first: dict[bytes, int] = {}
    for row, key in enumerate(keys(space, rows)):
        if key not in avoid:
            first.setdefault(key, row)
    if not first:
        return draw_unseen(space, avoid, rng)[None, :]
    return rows[list(first.values())]


def highest(values: Floats, rng: np.random.Generator) -> int:
    """Return the position of the highest of values, shape (n,); equal ones are settled by lot."""
    return int(rng.choice(np.flatnonzero(values == values.max())))
