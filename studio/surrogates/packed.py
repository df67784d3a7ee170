"""Symmetric matrices by one of their triangles: half the numbers to compute, to keep and to read.

The triangle lies column after column, as LAPACK's packed storage has it. It is unpacked before it
is factorised: that is one pass over it, and whole matrices are factorised faster than packed ones.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotri, dpotrs, dtpttr, dtrtrs, dtrttp

from studio.arrays import Floats, Integers


@dataclass(frozen=True)
class Packing:
    """The places of the entries of symmetric matrices of shape (n, n) in their triangle.

    Attributes:
        size: n.
        rows, columns: Shape (n (n + 1) / 2,). Of the entry at each place; rows are not before
            columns.
        diagonal: Shape (n,). The places of the diagonal.
    """

    size: int
    rows: Integers
    columns: Integers
    diagonal: Integers

    @classmethod
    def of(cls, size: int) -> "Packing":
        """Return the places for matrices of this size, from 1."""
        columns, rows = np.triu_indices(size)
        return cls(size, rows, columns, np.flatnonzero(rows == columns))

    def lower(self, packed: Floats) -> Floats:
        """Return the matrix, shape (n, n); the entries above the diagonal mean nothing."""
        matrix: Floats = dtpttr(self.size, packed, uplo="L")[0]
        return matrix

    def factorise(self, packed: Floats) -> Floats | None:
        """Return the Cholesky factor, (n, n), as :meth:`lower` does; ``None`` if there is none."""
        factor: Floats
        factor, failed = dpotrf(self.lower(packed), lower=1, clean=0, overwrite_a=1)
        return None if failed else factor

    def inverse(self, factor: Floats) -> Floats:
        """Return the packed inverse of L L', shape (n (n + 1) / 2,); L (n, n) is overwritten."""
        inverse: Floats = dtrttp(dpotri(factor, lower=1, overwrite_c=1)[0], uplo="L")[0]
        return inverse

    def total(self, packed: Floats) -> float:
        """Return the sum over the matrix packed in an array of shape (n (n + 1) / 2,)."""
        return 2.0 * float(packed.sum()) - float(packed[self.diagonal].sum())


def half_log_determinant(factor: Floats) -> float:
    """Return half the logarithm of the determinant of L L', L of shape (n, n)."""
    return float(np.add.reduce(np.log(factor.diagonal())))


def whitened(factor: Floats, column: Floats) -> Floats:
    """Return L^-1 of a column, shape (n,)."""
    white: Floats = dtrtrs(factor, column, lower=1)[0]
    return white


def solved(factor: Floats, column: Floats) -> Floats:
    """Return (L L')^-1 of a column, shape (n,)."""
    solution: Floats = dpotrs(factor, column, lower=1)[0]
    return solution
