"""Resampling units: groups of nearly equal rows that are drawn together."""

from dataclasses import dataclass

import numpy as np

from studio.arrays import Floats, Integers

PIECES = 200
"""Maximum number of pieces; fewer rows are each drawn separately."""


@dataclass(frozen=True, eq=False)
class Pieces:
    """Groups of rows with nearly equal predictions.

    Attributes:
        means: Shape (p,). Mean predictions.
        counts: Shape (p,). Rows.
        units: Shape (p,). Pieces that err together share a unit, that of their middle row;
            ``None``: each is its own.
    """

    means: Floats
    counts: Integers
    units: Integers | None

    @classmethod
    def from_predictions(cls, predicted: Floats, together: Integers | None = None) -> "Pieces":
        """Group rows.

        Args:
            predicted: Shape (n,), n > 0. Probabilities, or values.
            together: Shape (n,). Codes 0, 1, … of rows that err together; ``None``: each row is its
                own.
        """
        n_rows = len(predicted)
        order = np.argsort(predicted) if together is None else np.lexsort((predicted, together))
        ends = np.linspace(0, n_rows, min(PIECES, n_rows) + 1).astype(np.int64)
        counts = np.diff(ends)
        means = np.add.reduceat(predicted[order], ends[:-1]) / counts
        units = None if together is None else together[order][ends[:-1] + counts // 2]
        return cls(means, counts, units)

    def shared(self, draws: int, rng: np.random.Generator) -> Floats | float:
        """Draw normal errors shared within units, by piece, shape (draws, p); or 0."""
        if self.units is None:
            return 0.0
        drawn: Floats = rng.standard_normal((draws, int(self.units.max()) + 1))[:, self.units]
        return drawn


def intra_unit_correlation(units: Integers, off: Floats, varies: Floats) -> tuple[float, float]:
    """Estimate the intra-unit correlation of errors by the moments of their sums.

    Args:
        units: Shape (n,). The unit of each row: codes 0, 1, …
        off, varies: Shape (n,). Each row's error, and its own variance.

    Returns:
        square, factor: τ², the variance shared by a unit's rows, and how many rows are worth one.
    """
    sums, alone = np.bincount(units, off), np.bincount(units, varies)
    squares, total = float(np.square(alone).sum()), float(alone.sum())
    if not squares:
        return 0.0, 1.0
    square = max(0.0, float(np.square(sums).sum()) - total) / squares
    return square, 1.0 + square * squares / total
