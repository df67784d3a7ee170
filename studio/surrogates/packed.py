"""Symmetric matrices by one of their triangles: half the numbers to compute, to keep and to read.

The triangle lies in LAPACK's rectangular full packed format (Gustavson, Wasniewski, Dongarra &
Langou 2010, ACM TOMS 37(2)), which is factorised at the speed of matrix products.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg.lapack import dpftrf, dpftri, dpftrs, dtfsm, dtfttr, dtrttf

from studio.arrays import Floats, Integers

_LOWER = {"transr": "N", "uplo": "L"}
"""The one of the format's eight layouts that is used here."""


@dataclass(frozen=True)
class Packing:
    """Where the entries of symmetric matrices of shape (n, n) stand in their triangle.

    Attributes
    ----------
    size : int
        n.
    rows, columns : array, shape (n (n + 1) / 2,)
        Of the entry at each place; rows are not before columns.
    diagonal : array, shape (n,)
        The places of the diagonal, in no particular order.
    """

    size: int
    rows: Integers
    columns: Integers
    diagonal: Integers

    @classmethod
    def of(cls, size: int) -> "Packing":
        """Return the places for matrices of this size, from 1."""
        # LAPACK itself is asked where it puts each entry.
        numbered = np.arange(float(size * size)).reshape(size, size).T
        places, _ = dtrttf(numbered, **_LOWER)
        columns, rows = np.divmod(places.astype(np.int64), size)
        return cls(size, rows, columns, np.flatnonzero(rows == columns))

    def lower(self, packed: Floats) -> Floats:
        """Return the matrix, shape (n, n); what stands above the diagonal means nothing."""
        matrix: Floats
        matrix, _ = dtfttr(self.size, packed, **_LOWER)
        return matrix

    def factorise(self, packed: Floats) -> Floats | None:
        """Overwrite a matrix with its Cholesky factor; ``None`` if it is not positive definite."""
        factor: Floats
        factor, failed = dpftrf(self.size, packed, overwrite_a=1, **_LOWER)
        return None if failed else factor

    def half_log_determinant(self, factor: Floats) -> float:
        """Return half the logarithm of the determinant of L L'."""
        return float(np.add.reduce(np.log(factor[self.diagonal])))

    def whiten(self, factor: Floats, column: Floats) -> Floats:
        """Return L^-1 of a column, shape (n, 1)."""
        white: Floats = dtfsm(1.0, factor, column, side="L", trans="N", diag="N", **_LOWER)
        return white

    def solve(self, factor: Floats, column: Floats) -> Floats:
        """Return (L L')^-1 of a column, shape (n, 1)."""
        solved: Floats
        solved, _ = dpftrs(self.size, factor, column, **_LOWER)
        return solved

    def invert(self, factor: Floats) -> Floats:
        """Overwrite a factor with the packed inverse of L L'."""
        inverse: Floats
        inverse, _ = dpftri(self.size, factor, overwrite_a=1, **_LOWER)
        return inverse

    def total(self, packed: Floats) -> float:
        """Return the sum over all entries of the matrix."""
        return 2.0 * float(packed.sum()) - float(packed[self.diagonal].sum())
