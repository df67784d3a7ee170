"""Trained vectors as a network's inputs for the codes of categories."""

from dataclasses import dataclass

import numpy as np

from studio.arrays import Array, Floats, Integers
from studio.learners.operators.encoders import NO_CATEGORY

DIMENSION = 8
"""Elements of a category's vector (RealMLP)."""

INITIAL_SD = 0.3
"""Standard deviation of the initial elements."""

UNKNOWN_SHARE = 0.05
"""Share of a training step's codes that are replaced by "no category", so that it is learned."""


@dataclass(frozen=True)
class Levels:
    """Categories of coded columns, counts (c,) with "no category", numbered through all columns."""

    counts: Integers

    @classmethod
    def from_codes(cls, codes: Floats) -> "Levels":
        """Number the categories found in the training rows' codes, shape (n, c)."""
        return cls(codes.max(axis=0, initial=NO_CATEGORY).astype(np.int64) - NO_CATEGORY + 1)

    @property
    def width(self) -> int:
        """The number of the network's inputs in place of the c columns."""
        return DIMENSION * self.counts.size

    @property
    def first_numbers(self) -> Integers:
        """The number for "no category" in each column, shape (c,)."""
        firsts: Integers = np.cumsum(self.counts) - self.counts
        return firsts

    def to_numbers(self, codes: Floats) -> Floats:
        """Return the numbers of the codes' categories, both of shape (n, c)."""
        numbers: Floats = codes - NO_CATEGORY + self.first_numbers
        return numbers


class Embedding:
    """The categories' vectors and their training by Adam.

    A step only updates the vectors of its rows, independently of the number of categories.

    Args:
        levels: The categories, of c columns.
        unknown_share: Share of a training step's codes that are replaced by "no category".
    """

    def __init__(
        self, levels: Levels, rng: np.random.Generator, unknown_share: float = UNKNOWN_SHARE
    ) -> None:
        self.columns = levels.counts.size
        self._firsts, self._rng, self._unknown_share = levels.first_numbers, rng, unknown_share
        shape = int(levels.counts.sum()), DIMENSION
        self.vectors: Array[np.float32] = rng.standard_normal(shape, dtype=np.float32)
        self.vectors *= np.float32(INITIAL_SD)
        self._mean = np.zeros_like(self.vectors)
        self._square = np.zeros_like(self.vectors)
        self._updated_rows: Integers = np.zeros(0, dtype=np.int64)
        self._gradient = self.vectors[:0]

    def insert_vectors(self, X: Array[np.float32], *, training: bool = False) -> Array[np.float32]:
        """Return the rows with the last columns, the categories' numbers, replaced by vectors.

        Args:
            X: Shape (n, k + c).
            training: Whether some categories are replaced, and the gradient will be computed.

        Returns:
            Shape (n, k + 8 c).
        """
        numbers = X[:, -self.columns :].astype(np.int64)
        if training:
            unknown = self._rng.random(numbers.shape) < self._unknown_share
            numbers = np.where(unknown, self._firsts, numbers)
            self._updated_rows = numbers.ravel()
        vectors = self.vectors[numbers].reshape(len(X), -1)
        return np.hstack([X[:, : -self.columns], vectors])

    def set_gradient(self, slopes: Array[np.float32]) -> None:
        """Sum the gradient of the last training rows' inputs, (n, 8 c), by vector."""
        order = np.argsort(self._updated_rows, kind="stable")
        sorted_numbers = self._updated_rows[order]
        starts = np.flatnonzero(np.diff(sorted_numbers, prepend=-1))
        self._updated_rows = sorted_numbers[starts]
        self._gradient = np.add.reduceat(slopes.reshape(-1, DIMENSION)[order], starts, axis=0)

    def move(
        self, rate: float, decays: tuple[float, float], epsilon: float, shrinkage: float
    ) -> None:
        """Update the touched vectors with Adam's decays and epsilon, and the rate."""
        rows, slope = self._updated_rows, self._gradient
        mean = self._mean[rows] * np.float32(decays[0]) + slope
        square = self._square[rows] * np.float32(decays[1]) + np.square(slope)
        self._mean[rows], self._square[rows] = mean, square
        step = mean / (np.sqrt(square) + np.float32(epsilon))
        self.vectors[rows] *= np.float32(1.0 - shrinkage)
        self.vectors[rows] -= np.float32(rate) * step
