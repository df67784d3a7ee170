"""Sobol points: spread more evenly than random ones."""

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from studio.arrays import Floats
from studio.phrases import phrase
from studio.proposers.base import Proposer, Search, Suggestion, random_suggestion
from studio.seeds import derive
from studio.space.encoding import decode, keys, snap
from studio.space.space import Space

_LONGEST = 16
"""The sequence is followed up to 2**16 points; beyond, or where all are tried, draws are random."""

_CELLS = 2**22
"""Numbers that the points may have in all (32 MB)."""


@dataclass(frozen=True)
class Sobol(Proposer):
    """A scrambled Sobol sequence in the unit cube, mapped on the tree.

    One coordinate a hyperparameter; those that a point's choices make inactive are dropped, as
    they are for random draws. The scrambling is drawn once a run. A suggestion is the first point
    of the sequence that is not tried or running, so with several workers, and after a run was
    stopped with trials on the way, no point is left out.
    """

    key: ClassVar[str] = "sobol"
    title: ClassVar[str] = "Sobol points"
    summary: ClassVar[str] = (
        "Spreads its trials evenly over the whole space, without learning from them. "
        "Leaves fewer gaps than random search with the same number of trials."
    )
    reference: ClassVar[str] = "Sobol 1967; Owen 1998 (scrambling)"

    def suggest(self, search: Search) -> Suggestion:
        """Return the first point of the run's sequence that has not been tried."""
        space = search.space
        tried = search.tried()
        seed = derive(search.ensemble_seed, "sobol")
        longest = min(_LONGEST, (_CELLS // max(1, space.dimensions)).bit_length() - 1)
        power = min((search.started + 1).bit_length(), longest)
        begin = 0
        while space.dimensions and power <= longest:
            U, names = _sequence(space, seed, power)
            for row in range(begin, len(U)):
                if names[row] not in tried:
                    return Suggestion(decode(space, U[row : row + 1])[0], phrase("Sobol point"))
            begin, power = len(U), power + 1
        return random_suggestion(search, phrase("random draw beyond the sequence"))


@lru_cache(maxsize=4)
def _sequence(space: Space, seed: int, power: int) -> tuple[Floats, list[bytes]]:
    """Return the first n = 2**power points as valid unit rows, (n, D), and their keys.

    A longer sequence of the same seed begins with the shorter one.
    """
    # scipy.stats takes long to import and is needed by nothing else of a suggestion.
    from scipy.stats import qmc

    engine = qmc.Sobol(space.dimensions, scramble=True, rng=np.random.default_rng(seed))
    U = snap(space, engine.random_base2(power))
    return U, keys(space, U)
