"""Resampling units: groups of nearly equal rows that are drawn together."""

from dataclasses import dataclass

import numpy as np

from studio.arrays import Floats, Integers

MAX_PIECES = 200
"""Maximum number of pieces; fewer rows are each drawn separately."""


@dataclass(frozen=True, eq=False)
class RowGroups:
    """Groups of rows with nearly equal predictions.

    Attributes:
        means: Shape (p,). Mean predictions.
        counts: Shape (p,). Rows.
        units: Shape (p,). Pieces with dependent errors share a unit, that of their middle row;
            ``None``: all are independent.
    """

    means: Floats
    counts: Integers
    units: Integers | None

    @classmethod
    def from_predictions(
        cls, predictions: Floats, units_of_rows: Integers | None = None
    ) -> "RowGroups":
        """Group rows.

        Args:
            predictions: Shape (n,), n > 0. Probabilities, or values.
            units_of_rows: Shape (n,). Codes 0, 1, … of units with dependent errors; ``None``: each
                row is a separate unit.
        """
        n_rows = len(predictions)
        order = (
            np.argsort(predictions)
            if units_of_rows is None
            else np.lexsort((predictions, units_of_rows))
        )
        bounds = np.linspace(0, n_rows, min(MAX_PIECES, n_rows) + 1).astype(np.int64)
        counts = np.diff(bounds)
        means = np.add.reduceat(predictions[order], bounds[:-1]) / counts
        units = None if units_of_rows is None else units_of_rows[order][bounds[:-1] + counts // 2]
        return cls(means, counts, units)

    def draw_shared_errors(self, n_draws: int, rng: np.random.Generator) -> Floats | float:
        """Draw normal errors shared within units, by piece, shape (draws, p); or 0."""
        if self.units is None:
            return 0.0
        return rng.standard_normal((n_draws, int(self.units.max()) + 1))[:, self.units]


def estimate_intra_unit_correlation(
    units: Integers, errors: Floats, variances: Floats
) -> tuple[float, float]:
    """Estimate the intra-unit correlation of errors by the moments of their sums.

    Args:
        units: Shape (n,). The unit of each row: codes 0, 1, …
        errors, variances: Shape (n,). Each row's error and its variance.

    Returns:
        square, factor: τ², the variance shared by a unit's rows, and the number of rows equivalent
            to one.
    """
    sums, unit_variances = np.bincount(units, errors), np.bincount(units, variances)
    squares, total = float(np.square(unit_variances).sum()), float(unit_variances.sum())
    if not squares:
        return 0.0, 1.0
    correlation = max(0.0, float(np.square(sums).sum()) - total) / squares
    return correlation, 1.0 + correlation * squares / total
