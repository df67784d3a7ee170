"""What a network sees of a matrix: columns on one scale, without far ones, and waves of them."""

from dataclasses import dataclass

import numpy as np

from studio.arrays import Floats, Integers
from studio.learners.real_mlp_network import Single

CLIP = 3.0
"""No column goes beyond ±3 of its scales: x becomes x / √(1 + (x/3)²) = 3 sin(arctan(x/3))."""

LARGEST = float(np.finfo(np.float64).max)


@dataclass(frozen=True)
class Inputs:
    """How the columns of a matrix become a network's inputs.

    Attributes:
        columns: Of the matrix.
        kept: Shape (k,). Columns that are not constant.
        center, spread: Shape (k,). Median and scale of each of them.
        waved: Shape (w,). Places among the kept ones of the columns that have waves, one for each
            wave.
        frequency, phase: Shape (w,). The waves are cos(frequency · x + phase) of the clipped column
            x.
    """

    columns: int
    kept: Integers
    center: Floats
    spread: Floats
    waved: Integers
    frequency: Floats
    phase: Floats

    @classmethod
    def of(cls, X: Floats, waves: int, sigma: float, rng: np.random.Generator) -> "Inputs":
        """Read them off the training rows X, shape (n, d).

        The scale is the distance of the quartiles, or half the range where they agree. Columns of
        more than two values have waves.
        """
        low, q1, center, q3, high = np.quantile(X / 2.0, [0.0, 0.25, 0.5, 0.75, 1.0], axis=0)
        spread = q3 - q1
        spread = np.where(spread > 0.0, spread, (high - low) / 2.0)
        kept = np.flatnonzero(spread > 0.0)
        spread = np.minimum(spread[kept], LARGEST / 2.0) * 2.0
        values = X[:, kept]
        inside = ((values != values.min(axis=0)) & (values != values.max(axis=0))).any(axis=0)
        waved = np.repeat(np.flatnonzero(inside), waves)
        return cls(
            X.shape[1],
            kept,
            2.0 * center[kept],
            spread,
            waved,
            rng.normal(0.0, 2.0 * np.pi * sigma, waved.size),
            rng.uniform(-np.pi, np.pi, waved.size),
        )

    @property
    def width(self) -> int:
        """How many inputs the network has."""
        return max(1, self.kept.size + self.waved.size)

    def __call__(self, X: Floats) -> Single:
        """Return what the network sees of X, shape (n, d): shape (n, width)."""
        if not self.kept.size:
            return np.zeros((len(X), 1), dtype=np.float32)
        with np.errstate(over="ignore"):
            scaled = (X[:, self.kept] - self.center) / self.spread
        clipped = (CLIP * np.sin(np.arctan(scaled / CLIP))).astype(np.float32)
        waves = np.cos(
            clipped[:, self.waved] * self.frequency.astype(np.float32)
            + self.phase.astype(np.float32)
        )
        return np.ascontiguousarray(np.hstack([clipped, waves]))
