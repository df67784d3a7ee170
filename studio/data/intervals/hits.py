"""How many of some rows are hits: an interval from probabilities whose calibration is uncertain.

A hit is a row of the class that is looked for. If the probabilities were right, the number of hits
would be a sum of independent Bernoulli variables, a Poisson binomial one. They may be wrong, and
how wrong is only known from the rows that the model has not seen. So the probability p of a row is
corrected,

    logit q = x + z(x)·θ,   x = logit p,

where z(x)·θ is a line that may bend, and θ, which is normal
with the mean 0 beforehand, has the distribution that the unseen rows leave (Laplace's
approximation, as Spiegelhalter and Lauritzen 1990 have it). Platt's (1999) correction is the same
with a straight line and without its uncertainty. Hits are drawn in two steps: a θ, then the rows.

Rows of one group, or of one time, may be hits more often together than q says. The spread τ of that
(on the scale of x) is estimated from the unseen rows, makes them worth less, and is drawn for new
rows, too. How often such intervals hold the number is shown in docs/studies/honesty.md.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, log_expit

from studio.arrays import Flags, Floats, Integers
from studio.data.intervals.pieces import Pieces, off_together
from studio.seeds import derive

_BENDS = 6
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
        levels = np.arange(1, _BENDS + 1) / (_BENDS + 1)
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


DRAWS = 4000

_LEAST = 1e-3
"""What is added to both probabilities: none is 0 or 1."""

_LEVEL, _SLOPE, _BEND = 2.0, 1.0, 1.0
"""Standard deviations, beforehand, of the correction's level, slope and changes of slope."""

_STEPS, _SETTLED = 100, 1e-8


@dataclass(frozen=True, eq=False)
class HitRates:
    """How often rows of a probability are hits, as far as unseen rows let that be known.

    Attributes:
        bends: The form of the correction, over the logits.
        weights: Shape (k,). θ: its most probable weights.
        precision: Shape (k, k). The inverse of their covariance.
        spread: τ: by how much rows of one unit lie off together.
    """

    bends: Bends
    weights: Floats
    precision: Floats
    spread: float = 0.0

    @classmethod
    def of(
        cls,
        scores: Floats,
        hits: Flags,
        weights: Floats | None = None,
        *,
        units: Integers | None = None,
    ) -> "HitRates":
        """Learn from rows that the model was not trained on.

        Args:
            scores: Shape (n,), n > 0. Their probabilities of the class that is looked for.
            hits: Shape (n,). Whether they are of that class.
            weights: Shape (n,), or None. How much each row counts, at least 0, not all 0; ``None``:
                all the same.
            units: Shape (n,), or None. Which rows may be off together
                (:func:`studio.data.intervals.resampling.units_of`).
        """
        x = _logits(scores)
        bends = Bends.of(x)
        columns, truth = bends.columns(x), hits.astype(np.float64)
        counts = np.ones(len(x)) if weights is None else weights
        # Weighted rows are worth as many equal ones as vary as much.
        counts = counts * counts.sum() / np.square(counts).sum()
        found, precision = _most_probable(columns, x, truth, counts)
        if units is None:
            return cls(bends, found, precision)
        rates = expit(x + columns @ found)
        varies = counts * rates * (1.0 - rates)
        square, factor = off_together(units, counts * (truth - rates), varies)
        found, precision = _most_probable(columns, x, truth, counts / factor)
        return cls(bends, found, precision, square**0.5)

    def drawn(self, pieces: Pieces, draws: int = DRAWS) -> Floats:
        """Return how many of some rows, by their probabilities, are hits, drawn, shape (draws,)."""
        rng = np.random.default_rng(derive(0, "hits"))
        x = _logits(pieces.means)
        thetas = drawn_weights(self.weights, self.precision, draws, rng)
        logits = (x[:, None] + self.bends.columns(x) @ thetas).T
        rates = expit(logits + self.spread * pieces.shared(draws, rng))
        found: Floats = rng.binomial(pieces.counts, rates).sum(axis=1).astype(np.float64)
        return found


def _logits(scores: Floats) -> Floats:
    found: Floats = np.log((scores + _LEAST) / (1.0 - scores + _LEAST))
    return found


def _most_probable(
    columns: Floats, x: Floats, truth: Floats, counts: Floats
) -> tuple[Floats, Floats]:
    """Return the most probable θ, (k,), and its precision there, (k, k), by Newton's method.

    Args:
        columns: Shape (n, k). What θ weighs.
        x, truth, counts: Shape (n,). Logits, whether rows are hits (0 or 1), and how much they
            count.
    """
    prior = np.full(columns.shape[1], 1.0 / _BEND**2)
    prior[:2] = 1.0 / _LEVEL**2, 1.0 / _SLOPE**2

    def plausible(theta: Floats) -> float:
        logits = x + columns @ theta
        known = truth * log_expit(logits) + (1.0 - truth) * log_expit(-logits)
        return float(counts @ known - prior @ np.square(theta) / 2)

    def curvature(theta: Floats) -> Floats:
        rates = expit(x + columns @ theta)
        found: Floats = (columns.T * (counts * rates * (1.0 - rates))) @ columns + np.diag(prior)
        return found

    theta = np.zeros(columns.shape[1])
    for _ in range(_STEPS):
        slope = columns.T @ (counts * (truth - expit(x + columns @ theta))) - prior * theta
        step = np.linalg.solve(curvature(theta), slope)
        before = plausible(theta)
        while plausible(theta + step) < before and np.abs(step).max() > _SETTLED:
            step /= 2
        theta += step
        if np.abs(step).max() <= _SETTLED:
            break
    return theta, curvature(theta)
