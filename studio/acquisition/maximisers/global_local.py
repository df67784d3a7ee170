"""The best of many random configurations and some around the best trials."""

from collections.abc import Set
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from studio.acquisition.candidates import global_and_local, highest
from studio.acquisition.maximisers.base import CandidateMaximiser, Gradient, Maximum, Score
from studio.arrays import Floats
from studio.parts import option
from studio.space.space import Space


@dataclass(frozen=True)
class GlobalLocal(CandidateMaximiser):
    """argmax over 4,950 uniform draws and 50 neighbours of the best trials (DivBO A.4)."""

    key: ClassVar[str] = "global-local"
    title: ClassVar[str] = "Global and local candidates"
    summary: ClassVar[str] = (
        "Looks at thousands of random settings and a few close to the best trials. "
        "Works for every kind of search space and any surrogate."
    )
    reference: ClassVar[str] = "DivBO 3.2 and appendix A.4"

    everywhere: int = option(4950, low=1, high=1_000_000, help="Number of random settings tried.")
    around: int = option(
        50, low=0, high=100_000, help="Random settings close to the ten best trials."
    )

    def candidates(
        self, space: Space, incumbents: Floats, avoid: Set[bytes], rng: np.random.Generator
    ) -> Floats:
        """Return the draws from everywhere and the neighbours, shape (n, D)."""
        return global_and_local(
            space, incumbents, avoid, rng, everywhere=self.everywhere, around=self.around
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
        """Return the best candidate; incumbents have shape (m, D)."""
        del gradient
        rows = self.candidates(space, incumbents, avoid, rng)
        values = score(rows)
        chosen = highest(values, rng)
        return Maximum(rows[chosen].copy(), float(values[chosen]))
