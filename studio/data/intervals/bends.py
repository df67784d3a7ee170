"""A line that may bend at some scores: what corrects predictions that are systematically off."""

from dataclasses import dataclass

import numpy as np

from studio.arrays import Floats

BENDS = 6
"""Scores at which the line may bend: quantiles of the rows that it is learned from."""


@dataclass(frozen=True, eq=False)
class Bends:
    """The columns by whose weights a correction is made.

    They are 1, the distance from the middle score, and for each bend how far a score lies beyond
    it, seen from the middle. So a weight says by how much the slope changes there.

    Attributes:
        middle: The median score.
        places: Shape (b,). The bends, ascending.
    """

    middle: float
    places: Floats

    @classmethod
    def of(cls, scores: Floats) -> "Bends":
        """Put the bends at quantiles of scores (n,), n > 0."""
        levels = np.arange(1, BENDS + 1) / (BENDS + 1)
        return cls(float(np.median(scores)), np.unique(np.quantile(scores, levels)))

    def columns(self, scores: Floats) -> Floats:
        """Return the columns for scores (n,), shape (n, 2 + b)."""
        beyond = scores[:, None] - self.places
        above = self.places >= self.middle
        bent = np.where(above, np.maximum(beyond, 0.0), np.minimum(beyond, 0.0))
        return np.column_stack([np.ones(len(scores)), scores - self.middle, bent])


def drawn_weights(
    weights: Floats, precision: Floats, draws: int, rng: np.random.Generator
) -> Floats:
    """Draw normal weights, shape (k, draws).

    Args:
        weights: Shape (k,). Their means.
        precision: Shape (k, k). The inverse of their covariance.
        draws: How many.
        rng: By which they are drawn.
    """
    normal = rng.standard_normal((len(weights), draws))
    drawn: Floats = np.linalg.solve(np.linalg.cholesky(precision).T, normal)
    return weights[:, None] + drawn
