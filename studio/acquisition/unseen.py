"""Sampling of untried configurations: at random first, then by a walk through the space."""

from collections.abc import Set

import numpy as np

from studio.arrays import Floats
from studio.errors import ExhaustedError
from studio.phrases import counted
from studio.space.encoding import keys, sample
from studio.space.neighbours import neighbours
from studio.space.space import Space

_DRAWS = (1, 16, 1000)
"""Sizes of the rounds of random draws before the walk."""


def draw_unseen(space: Space, avoid: Set[bytes], rng: np.random.Generator) -> Floats:
    """Return the unit row, shape (D,), of a configuration whose key is not in ``avoid``.

    Uniform over the tree as long as random draws find one. A space that is nearly used up is
    walked from neighbour to neighbour: from any configuration every other one can be reached by
    changing one hyperparameter at a time, so the walk ends at an unseen one or proves that there
    is none, after passing through at most ``len(avoid)`` configurations.

    Raises:
        ExhaustedError: If every configuration has been tried.
    """
    sampled = np.empty((0, space.dimensions))
    for draws in _DRAWS:
        sampled = sample(space, rng, draws)
        for row, key in zip(sampled, keys(space, sampled), strict=True):
            if key not in avoid:
                return row
    passed: set[bytes] = set()
    first_rows = sampled
    while len(first_rows):
        new_rows = []
        for row, key in zip(first_rows, keys(space, first_rows), strict=True):
            if key not in avoid:
                return row
            if key not in passed:
                passed.add(key)
                new_rows.append(row)
        if not new_rows:
            break
        first_rows, _ = neighbours(space, np.array(new_rows), rng)
    raise ExhaustedError(
        counted(
            "The only configuration of the search space has been tried; widen a range or add a "
            "hyperparameter to continue.",
            "All {count:,} configurations of the search space have been tried; widen a range or "
            "add a hyperparameter to continue.",
            len(avoid),
        )
    )
