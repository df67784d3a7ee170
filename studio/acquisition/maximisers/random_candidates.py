"""The best of many random configurations."""

from collections.abc import Set
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from studio.acquisition.maximisers.base import Gradient, Maximiser, Maximum, Score, choose
from studio.arrays import Floats
from studio.parts import option
from studio.space.sampling import sample
from studio.space.space import Space


@dataclass(frozen=True)
class RandomCandidates(Maximiser):
    """argmax over configurations drawn uniformly from the tree (thesis 5.5: 1,000)."""

    key: ClassVar[str] = "random"
    title: ClassVar[str] = "Random candidates"
    summary: ClassVar[str] = (
        "Looks at many random settings and takes the most promising. Simple and robust."
    )
    reference: ClassVar[str] = "thesis 5.3.2 and 5.5"

    samples: int = option(1000, low=1, high=1_000_000, help="Number of random settings tried.")

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
        """Return the best unseen one of the random candidates; incumbents, shape (m, D), unused."""
        del incumbents, gradient
        drawn = sample(space, rng, self.samples)
        return choose(space, score, drawn, score(drawn), avoid, rng=rng)
