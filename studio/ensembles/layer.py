"""The second level of a stacked ensemble: a linear model on the members' predictions."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from studio.arrays import AnyArray, Floats

MISSING_CLASS_SCORE = -1e3
"""Intercept of a class unseen by the layer, whose probability is then exactly 0."""


@dataclass(frozen=True)
class Layer:
    """A linear layer over the members' predictions, concatenated in the order of the members.

    Attributes:
        coefficients: K = C rows for classes, 1 for values. The features of a member are its C class
            probabilities (one-hot for label-only learners), or its value.
        intercepts: Classes: probabilities are softmax(coefficients · features + intercepts).
            Values: the sum.
        centre: Mean features in training, which replace excluded members.
    """

    coefficients: tuple[tuple[float, ...], ...]
    intercepts: tuple[float, ...]
    centre: tuple[float, ...]

    @classmethod
    def from_coefficients(cls, coefficients: Floats, intercepts: Floats, centre: Floats) -> "Layer":
        """Create the layer from arrays of shapes (K, f), (K,) and (f,)."""
        return cls(
            tuple(tuple(row) for row in coefficients.tolist()),
            tuple(intercepts.tolist()),
            tuple(centre.tolist()),
        )

    @property
    def width(self) -> int:
        """Number of features of one member."""
        return len(self.coefficients)

    def apply(self, predictions: Sequence[AnyArray]) -> Floats:
        """Combine the members' predictions to probabilities, (n, C), or values, (n,).

        Args:
            predictions: One per member: shape (n, C), or (n,).
        """
        scores: Floats = make_features(predictions) @ np.array(self.coefficients).T
        scores += np.array(self.intercepts)
        if predictions[0].ndim == 1:
            values: Floats = scores[:, 0]
            return values
        scores -= scores.max(axis=1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(axis=1, keepdims=True)
        return scores

    def get_influence(self) -> Floats:
        """Return each member's share of the absolute coefficients, positive, summing to 1, (m,)."""
        sizes = np.abs(np.array(self.coefficients)).reshape(self.width, -1, self.width)
        sums = sizes.sum(axis=(0, 2))
        floor = 1e-9 * float(sums.max()) or 1.0  # equal shares for zero coefficients
        magnitudes: Floats = np.maximum(sums, floor)
        magnitudes /= magnitudes.sum()
        return magnitudes

    def select_members(self, positions: Sequence[int]) -> "Layer":
        """Return the layer of some of the members; other members are replaced by their mean."""
        columns = np.arange(len(self.centre)).reshape(-1, self.width)
        kept_columns = columns[list(positions)].reshape(-1)
        dropped_columns = np.setdiff1d(columns, kept_columns)
        coefficients, centre = np.array(self.coefficients), np.array(self.centre)
        intercepts = (
            np.array(self.intercepts) + coefficients[:, dropped_columns] @ centre[dropped_columns]
        )
        return Layer.from_coefficients(
            coefficients[:, kept_columns], intercepts, centre[kept_columns]
        )


def make_features(predictions: Sequence[AnyArray]) -> Floats:
    """Concatenate the members' predictions, shape (n, features), in double precision."""
    n = len(predictions[0])
    return np.concatenate([each.reshape(n, -1).astype(np.float64) for each in predictions], axis=1)
