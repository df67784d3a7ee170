"""What a network for tables learns: shares of classes, or a standardised number."""

from dataclasses import dataclass

import numpy as np

from studio.arrays import AnyArray, Floats
from studio.learners.real_mlp_network import Single, softmax


@dataclass(frozen=True)
class Target:
    """How classes or numbers become what a network learns.

    Attributes:
        classes: Shape (C,), or None. The classes of the training rows; ``None`` where numbers are
            predicted.
        middle, spread: Of the numbers; they are standardised for the training.
        low, high: Range of the standardised numbers, which predictions keep to.
        level: The quantile of the numbers that is predicted; ``None`` for the mean.
    """

    classes: AnyArray | None
    middle: float = 0.0
    spread: float = 1.0
    low: float = 0.0
    high: float = 0.0
    level: float | None = None

    @classmethod
    def of(
        cls, y: AnyArray, weights: Floats, *, classes: bool, level: float | None = None
    ) -> "Target":
        """Read it off the training rows' y, shape (n,), which count by their weights."""
        if classes:
            return cls(np.unique(y))
        middle = float(np.average(y, weights=weights))
        spread = float(np.sqrt(np.average(np.square(y - middle), weights=weights))) or 1.0
        return cls(
            None,
            middle,
            spread,
            float((y.min() - middle) / spread),
            float((y.max() - middle) / spread),
            level,
        )

    @property
    def width(self) -> int:
        """How many outputs the network has."""
        return 1 if self.classes is None else self.classes.size

    def knows(self, y: AnyArray) -> AnyArray:
        """Return which rows of y, (n,), can be scored: those of classes that training has."""
        if self.classes is None:
            return np.ones(len(y), dtype=bool)
        known: AnyArray = np.isin(y, self.classes)
        return known

    def wanted(self, y: AnyArray, smoothing: float) -> Single:
        """Return what the outputs should be for y of shape (n,): shape (n, width)."""
        if self.classes is None:
            values: Single = ((y - self.middle) / self.spread).astype(np.float32)[:, None]
            return values
        exact: Single = (y[:, None] == self.classes).astype(np.float32)
        exact *= 1.0 - smoothing
        exact += smoothing / self.classes.size
        return exact

    def loss(self, outputs: Single, wanted: Single, weights: Floats) -> float:
        """Return the weighted mean cross entropy, or squared (pinball) loss within the range.

        Outputs and what is wanted have shape (n, C) or (n, 1), weights (n,).
        """
        if self.classes is None:
            apart = (wanted - np.clip(outputs, self.low, self.high))[:, 0]
            wrong = (
                np.square(apart)
                if self.level is None
                else np.maximum(self.level * apart, (self.level - 1.0) * apart)
            )
        else:
            shares = softmax(outputs.astype(np.float64))
            wrong = -np.log((shares * wanted).sum(axis=1) + 1e-12)
        return float(np.average(wrong, weights=weights)) if weights.any() else float(wrong.mean())
