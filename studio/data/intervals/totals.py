"""What some predicted numbers add up to: an interval from errors of unseen rows.

Predictions that are large have a tendency to be too large, so the sum of the largest is off by more
than chance. So a prediction ŷ is corrected,

    y = ŷ + z(u)·θ + s(ŷ) (ε + τδ),   u = ŷ in units of its spread,

where z(u)·θ is a line that may bend (:mod:`studio.data.intervals.hits`), s(ŷ) the mean error of
the rows with the most similar predictions, and ε a residual of the unseen rows. θ is normal with
the mean 0 beforehand and has the distribution that the unseen rows leave. τδ is by how much rows of
one group, or of one time, are off together. How often such intervals hold the sum is shown in
docs/studies/honesty.md.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve

from studio.arrays import Floats, Integers
from studio.data.intervals.hits import DRAWS, Bends, drawn_weights
from studio.data.intervals.pieces import Pieces, off_together
from studio.data.intervals.prediction import SHARE
from studio.seeds import derive


@dataclass(frozen=True)
class Range:
    """What is expected of chosen rows together.

    Attributes:
        mean, low, high: The expectation, and between what the true number, or sum, lies.
        share: How often such an interval holds it.
    """

    mean: float
    low: float
    high: float
    share: float = SHARE

    @classmethod
    def of(cls, drawn: Floats, share: float = SHARE) -> "Range":
        """Return the range of numbers that were drawn, shape (m,)."""
        tail = (1.0 - share) / 2
        ends = np.quantile(drawn, [tail, 1.0 - tail], method="inverted_cdf")
        return cls(float(drawn.mean()), float(ends[0]), float(ends[1]), share)


_SMALLEST = 0.1
"""The smallest typical error in relation to the mean one."""

_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class Totals:
    """By how much predictions are off, as far as unseen rows let that be known.

    Attributes:
        bends: The form of the correction.
        unit: What predictions are divided by for it.
        weights: Shape (k,). θ: its most probable weights.
        precision: Shape (k, k). The inverse of their covariance.
        sizes: Shape (k,). By which the same columns give the typical error.
        least: The smallest one.
        residuals, chances: Shape (n,). ε of the unseen rows, and how probable each is.
        spread: τ: by how much rows of one unit are off together.
    """

    bends: Bends
    unit: float
    weights: Floats
    precision: Floats
    sizes: Floats
    least: float
    residuals: Floats
    chances: Floats
    spread: float = 0.0

    @classmethod
    def of(
        cls,
        predicted: Floats,
        truth: Floats,
        weights: Floats | None = None,
        *,
        units: Integers | None = None,
    ) -> "Totals":
        """Learn from rows that the model was not trained on.

        Args:
            predicted, truth: Shape (n,), n > 0. Their predictions and true values.
            weights: Shape (n,), or None. How much each row counts, at least 0, not all 0; ``None``:
                all the same.
            units: Shape (n,), or None. Which rows may be off together
                (:func:`studio.data.intervals.resampling.units_of`).
        """
        unit = float(predicted.std()) or 1.0
        bends = Bends.of(predicted / unit)
        columns = bends.columns(predicted / unit)
        counts = np.ones(len(truth)) if weights is None else weights
        # Weighted rows are worth as many equal ones as vary as much.
        counts = counts * counts.sum() / np.square(counts).sum()
        errors = truth - predicted
        # With what is off systematically: without it, sums of few rows were held too seldom.
        sizes = _sizes(columns, np.abs(errors), counts)
        least = _SMALLEST * float(np.average(np.abs(errors), weights=counts)) or _ROUNDING
        typical = np.maximum(columns @ sizes, least)
        columns *= (typical.mean() / typical)[:, None]
        off = errors / typical
        found, precision, residuals = _fitted(columns, off, counts)
        chances = counts / counts.sum()
        spread = 0.0
        if units is not None:
            size = float(chances @ np.square(residuals)) or 1.0
            square, factor = off_together(units, counts * residuals / size**0.5, counts)
            spread = (square * size) ** 0.5
            found, precision, residuals = _fitted(columns, off, counts / factor)
        scale = float(typical.mean())
        found, precision = scale * found, precision / scale**2
        return cls(bends, unit, found, precision, sizes, least, residuals, chances, spread)

    def drawn(self, pieces: Pieces, draws: int = DRAWS) -> Floats:
        """Return what some rows, by their predictions, add up to, drawn, shape (draws,)."""
        rng = np.random.default_rng(derive(0, "totals"))
        thetas = drawn_weights(self.weights, self.precision, draws, rng)
        columns = self.bends.columns(pieces.means / self.unit)
        typical = np.maximum(columns @ self.sizes, self.least)
        places = rng.choice(len(self.residuals), (draws, len(typical)), p=self.chances)
        # Of many rows drawn together the residuals vary as their sum does.
        alone = self.residuals[places] * np.sqrt(pieces.counts)
        together_off = self.spread * pieces.counts * pieces.shared(draws, rng)
        off: Floats = (alone + together_off) @ typical
        corrected: Floats = pieces.counts @ pieces.means + (pieces.counts @ columns) @ thetas
        return corrected + off


def _sizes(columns: Floats, errors: Floats, counts: Floats) -> Floats:
    """Return the weights, (k,), by which the columns, (n, k), give the size of errors, (n,)."""
    scale = float(np.average(errors, weights=counts)) or 1.0
    prior = np.eye(columns.shape[1])
    prior[0, 0] = 0.0
    gram = (columns.T * counts) @ columns
    found: Floats = solve(gram + prior, columns.T @ (counts * errors / scale))
    return scale * found


def _fitted(columns: Floats, off: Floats, counts: Floats) -> tuple[Floats, Floats, Floats]:
    """Return θ, (k,), its precision, (k, k), and the residuals, (n,), widened for what θ took.

    Args:
        columns: Shape (n, k). What θ weighs.
        off, counts: Shape (n,). Errors in typical ones, and how much rows count.
    """
    gram = (columns.T * counts) @ columns
    prior = np.eye(columns.shape[1])  # a standard deviation of one typical error
    size = float(np.average(np.square(off), weights=counts))
    for _ in range(3):
        precision = gram / max(size, _ROUNDING) + prior
        theta: Floats = solve(precision, columns.T @ (counts * off / max(size, _ROUNDING)))
        residuals: Floats = off - columns @ theta
        taken = float(np.trace(solve(precision, gram))) / max(size, _ROUNDING)
        free = max(1.0, float(counts.sum()) - taken)
        size = float(counts @ np.square(residuals)) / free
    middle = float(np.average(residuals, weights=counts))
    widened: Floats = (residuals - middle) * (float(counts.sum()) / free) ** 0.5
    return theta, precision, widened
