"""A power law through an error by the number of rows, and what it says of twice the rows.

The error falls as a + b·n^(-c) in theory and practice (Viering and Loog, The shape of learning
curves, 2022), a being what no number of rows removes. How far that may be trusted is found by
fitting it again and again: with other rows that judge, and with other rows drawn to learn from.
How often the result is right is shown in docs/studies/honesty.md.
"""

from dataclasses import dataclass

import numpy as np

from studio.analysis.answers.learning_curve import Outlook
from studio.arrays import Floats, Integers

EXPONENTS: Floats = np.geomspace(0.1, 2.0, 25)
"""The exponents c that are tried: those found in practice lie between."""

CONFIDENCE = 0.9
LITTLE = 0.05
"""A fall of the error by a smaller share is hardly worth twice the rows."""

SOME = 0.01
"""A fall of the error by a smaller share is none."""

_FREE = 3


@dataclass(frozen=True)
class Fit:
    """Power laws a + b·(n/N)^(-c), one a draw, N being all rows.

    Attributes:
        a, b, c: Shape (D,). The parameters: a and b at least 0.
        left: Shape (D,). The weighted sum of squares that is left over.
    """

    a: Floats
    b: Floats
    c: Floats
    left: Floats

    def at(self, share: float) -> Floats:
        """Return the error at a multiple of the rows, shape (D,)."""
        return self.a + self.b * share**-self.c


@dataclass(frozen=True)
class Forecast:
    """What twice the rows would do.

    Attributes:
        outlook: In a word.
        least, most: The ends of the 90 % interval of how much the error would fall.
        fit: The best power law through the errors themselves (one draw).
        draws: Power laws through resampled errors.
    """

    outlook: Outlook
    least: float
    most: float
    fit: Fit
    draws: Fit

    @property
    def now(self) -> float:
        """The error with all rows by the best power law: one training alone may be lucky."""
        return float(self.fit.at(1)[0])

    def at(self, share: float) -> float:
        """Return the error at a multiple of the rows; beyond all of them it falls by the median."""
        if share <= 1:
            return float(self.fit.at(share)[0])
        return max(0.0, self.now - float(np.median(self.draws.at(1) - self.draws.at(share))))


def forecast(
    rows: Integers, losses: Floats, resampled: Floats, rng: np.random.Generator
) -> Forecast:
    """Say what twice the rows would do to the error.

    Args:
        rows: Shape (p,), p > 3. How many rows were learned from, ascending; the last is all.
        losses: Shape (p,). The errors, at least 0.
        resampled: Shape (D, p). The errors, were other rows to judge.
        rng: Draws what depends on the rows that were learned from.
    """
    shares = rows / rows[-1]
    best = power_laws(shares, losses[None])
    # How far errors lie from the curve, for all rows; twice that variance for half of them.
    degrees = len(rows) - _FREE
    n_draws = len(resampled)
    variance = best.left[0] / rng.chisquare(degrees, n_draws)
    noise = rng.normal(size=resampled.shape) * np.sqrt(variance[:, None] / shares)
    fits = power_laws(shares, resampled + noise)
    falls = fits.at(1) - fits.at(2)
    least, most = np.quantile(falls, ((1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2))
    now = float(losses[-1])
    outlook: Outlook = "unknown"
    if most <= LITTLE * now:
        outlook = "flat"
    elif least >= SOME * now:
        outlook = "lower"
    return Forecast(outlook, float(least), float(most), best, fits)


def power_laws(shares: Floats, losses: Floats) -> Fit:
    """Fit power laws by least squares, rows (D, p) each, weighted by the shares (p,)."""
    found = [_straight(shares, shares**-c, losses) for c in EXPONENTS]
    a, b, left = (np.stack(each) for each in zip(*found, strict=True))
    best = left.argmin(axis=0)
    draws = np.arange(len(losses))
    return Fit(a[best, draws], b[best, draws], EXPONENTS[best], left[best, draws])


def _straight(weights: Floats, z: Floats, losses: Floats) -> tuple[Floats, Floats, Floats]:
    """Return a and b of a + b·z, both at least 0, and the squares left over, shape (D,) each."""
    total = weights.sum()
    mean_z, mean = weights @ z / total, losses @ weights / total
    slope = (losses - mean[:, None]) @ (weights * (z - mean_z)) / (weights @ np.square(z - mean_z))
    b = np.maximum(slope, 0.0)
    a = mean - b * mean_z
    through_zero = a < 0
    b = np.where(through_zero, losses @ (weights * z) / (weights @ np.square(z)), b)
    a = np.where(through_zero, 0.0, a)
    left = np.square(losses - a[:, None] - np.outer(b, z)) @ weights
    return a, b, left
