"""Interface of kernels of a Gaussian process.

A kernel here is a *correlation*: 1 on the diagonal, with one length scale per dimension. Amplitude
and noise belong to the process. A kernel may also declare rows incomparable (the conditional
kernel, thesis eq. 5.9): rows of different groups have covariance 0, so the Gram matrix is block
diagonal and is processed block by block (eq. 5.10-5.11).
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotri, dpotrs, dtpttr, dtrtrs, dtrttp

from studio.arrays import Floats, Integers
from studio.parts import Part
from studio.space.space import Space


@dataclass(frozen=True)
class PackedTriangle:
    """Indices of a symmetric matrix's entries, shape (n, n), in its packed triangle.

    Attributes:
        rows, columns: Shape (n (n + 1) / 2,). Row and column of each packed entry, with row >=
            column.
        diagonal: Shape (n,). Packed indices of the diagonal.
    """

    size: int
    rows: Integers
    columns: Integers
    diagonal: Integers

    @classmethod
    def make(cls, size: int) -> "PackedTriangle":
        """Return the packing for matrices of this size, at least 1."""
        columns, rows = np.triu_indices(size)
        return cls(size, rows, columns, np.flatnonzero(rows == columns))

    def unpack_lower(self, packed: Floats) -> Floats:
        """Return the matrix, shape (n, n); entries above the diagonal are undefined."""
        matrix: Floats = dtpttr(self.size, packed, uplo="L")[0]
        return matrix

    def factorise(self, packed: Floats) -> Floats | None:
        """Return the Cholesky factor, (n, n), as :meth:`unpack_lower` does, or ``None``."""
        factor: Floats
        factor, failed = dpotrf(self.unpack_lower(packed), lower=1, clean=0, overwrite_a=1)
        return None if failed else factor

    def invert(self, factor: Floats) -> Floats:
        """Return the packed inverse of L L', shape (n (n + 1) / 2,); L (n, n) is overwritten."""
        inverse: Floats = dtrttp(dpotri(factor, lower=1, overwrite_c=1)[0], uplo="L")[0]
        return inverse

    def sum_packed(self, packed: Floats) -> float:
        """Return the sum over all entries of a packed matrix, shape (n (n + 1) / 2,)."""
        return 2.0 * float(packed.sum()) - float(packed[self.diagonal].sum())


def compute_half_log_determinant(factor: Floats) -> float:
    """Return half the logarithm of the determinant of L L', L of shape (n, n)."""
    return float(np.add.reduce(np.log(factor.diagonal())))


def whiten(factor: Floats, column: Floats) -> Floats:
    """Return L^-1 of a column, shape (n,)."""
    white: Floats = dtrtrs(factor, column, lower=1)[0]
    return white


def solve_packed(factor: Floats, column: Floats) -> Floats:
    """Return (L L')^-1 of a column, shape (n,)."""
    solution: Floats = dpotrs(factor, column, lower=1)[0]
    return solution


class Gram(ABC):
    """The correlations among the rows of one block, for any length scales.

    Attributes:
        dims: The coordinates in which the block's rows differ; other length scales have no effect.
        packing: The packing of the correlations.
    """

    dims: tuple[int, ...]
    packing: PackedTriangle

    @abstractmethod
    def compute_packed(self, log_length_scales: Floats) -> Floats:
        """Return the correlations under log length scales (D,), packed, (n (n + 1) / 2,)."""

    @abstractmethod
    def make_slice(self, log_length_scales: Floats, dim: int) -> Callable[[float], Floats]:
        """Return the packed correlations as a function of one log length scale, the others held.

        ``log_length_scales`` has shape (D,). The function overwrites and returns one buffer, shape
        (n (n + 1) / 2,).
        """

    @abstractmethod
    def compute_log_length_gradients(self, log_length_scales: Floats, weights: Floats) -> Floats:
        """Return d(sum of weights * correlations) / d(log length scales), shape (D,).

        Args:
            log_length_scales: Shape (D,).
            weights: Shape (n (n + 1) / 2,). A packed symmetric matrix; the sum is over the full
                matrix.
        """


class Kernel(Part, ABC):
    """Base of all kernels.

    Attributes:
        chunk: Number of correlations to compute at a time (by default, as many as fit into a
            processor's cache).
    """

    chunk: ClassVar[int] = 2**18

    def find_groups(self, space: Space, U: Floats) -> Integers:
        """Return a group for each row of U, (n,); the covariance between groups is 0."""
        del space
        return np.zeros(len(U), dtype=np.int64)

    @abstractmethod
    def make_gram(self, X: Floats) -> Gram:
        """Prepare the correlations among the complete rows X, shape (n, D)."""

    @abstractmethod
    def compute_cross_correlations(self, V: Floats, X: Floats, length_scales: Floats) -> Floats:
        """Return the correlations of V with X, (S, q, n), under S sets of length scales.

        Args:
            V: Shape (q, D).
            X: Shape (n, D).
            length_scales: Shape (S, D).
        """

    def prepare_cross(self, X: Floats, length_scales: Floats) -> Callable[[Floats], Floats]:
        """Return the cross-correlations as a function of V, with precomputation for X if supported.

        X has shape (n, D), length scales (S, D); the function maps (q, D) to (S, q, n).
        """
        return partial(self.compute_cross_correlations, X=X, length_scales=length_scales)

    @abstractmethod
    def compute_vjp(self, V: Floats, X: Floats, length_scales: Floats, weights: Floats) -> Floats:
        """Return the gradient of sum_n weights[…, s, q, n] * k(V[q], X[n]) with respect to V[q].

        Args:
            V, X, length_scales: See :meth:`compute_cross_correlations`.
            weights: Shape (…, S, q, n). One or several sets of weights.

        Returns:
            Shape (…, S, q, D).

        Raises:
            SurrogateError: If the kernel has no gradients.
        """
