"""All blocks' covariances as one tridiagonal matrix, where a likelihood costs O(n).

For given length scales C = Q T Q' with Q orthogonal and T tridiagonal (Householder; Golub & Van
Loan 2013, 8.3.1), so K = a C + nu I = Q (a T + nu I) Q': whatever mean, amplitude and noise, the
likelihood of Q'y needs but the factors of a tridiagonal matrix. That is a fraction of the work of
eigenvalues and their vectors. T has a zero between two blocks, so that one matrix holds them all.
"""

import math
from collections.abc import Sequence
from itertools import accumulate, pairwise

import numpy as np
from scipy.linalg.lapack import dormqr, dptsv, dsytrd

from studio.arrays import Floats
from studio.surrogates.evidence import NUGGET, Block, Hyperparameters

_PANEL = 32
"""Columns that LAPACK reduces at a time (its own choice); its workspaces follow from it."""


class Tridiagonal:
    """The likelihood of all observations for the length scales last given.

    Args:
        blocks: N observations in all; none at all are possible.

    Attributes:
        mean_support: The lowest and the highest target.
    """

    def __init__(self, blocks: Sequence[Block]) -> None:
        self._blocks = blocks
        self._known: list[Floats | None] = [None] * len(blocks)
        ends = list(accumulate((len(block.targets) for block in blocks), initial=0))
        self._places = [slice(first, end) for first, end in pairwise(ends)]
        self._firsts = np.array(ends[:-1], dtype=np.int64)
        targets = np.concatenate([np.empty(0), *(block.targets for block in blocks)])
        self.mean_support = (float(targets.min()), float(targets.max())) if blocks else (0.0, 0.0)
        self._columns = np.array([np.ones(ends[-1]), targets]).T
        self._rotated = self._columns.copy(order="K")
        self._diagonal = np.empty(ends[-1])
        self._beside = np.zeros(max(1, ends[-1] - 1))

    def update(self, log_lengths: Floats) -> None:
        """Reduce again the blocks whose length scales, of log_lengths (D,), have changed."""
        for number, block in enumerate(self._blocks):
            mine = log_lengths.take(block.gram.dims)
            known = self._known[number]
            if known is None or not np.array_equal(known, mine):
                self._known[number] = mine
                self._reduce(number, log_lengths)

    def _reduce(self, number: int, log_lengths: Floats) -> None:
        block, place = self._blocks[number], self._places[number]
        size = len(block.targets)
        C = block.gram.packing.lower(block.gram.packed(log_lengths))
        C, diagonal, beside, tau, _ = dsytrd(C, lower=1, lwork=_PANEL * size, overwrite_a=1)
        self._diagonal[place] = diagonal + NUGGET
        if size > 1:
            # Q leaves the first coordinate alone; its reflectors are below the first row.
            rest = slice(place.start + 1, place.stop)
            reflectors, lwork = C[1:, :-1], 2 * _PANEL * (_PANEL + 1)
            self._rotated[rest] = dormqr("L", "T", reflectors, tau, self._columns[rest], lwork)[0]
            self._beside[place.start : place.stop - 1] = beside

    def residuals(self, mean: float) -> Floats:
        """Return Q'(y - m), shape (N, 1)."""
        ones, targets = self._rotated.T
        residuals: Floats = targets - mean * ones
        return residuals[:, None]

    def log_likelihood(self, log_amplitude: float, log_noise: float, residuals: Floats) -> float:
        """Return the log likelihood but for a constant, given :meth:`residuals`, (N, 1)."""
        if not len(residuals):
            return 0.0
        pivots, solved = self._solve(log_amplitude, log_noise, residuals)
        log_determinant = float(np.add.reduce(np.log(pivots))) + len(residuals) * log_amplitude
        return -0.5 * (log_determinant + float(residuals[:, 0].dot(solved[:, 0])))

    def mean_moments(self, log_amplitude: float, log_noise: float) -> tuple[float, float]:
        """Return 1'K^-1 1 and 1'K^-1 y."""
        _, solved = self._solve(log_amplitude, log_noise, self._rotated)
        ones_ones, ones_y = self._rotated[:, 0] @ solved
        return float(ones_ones), float(ones_y)

    def block_likelihoods(self, theta: Hyperparameters) -> list[float]:
        """Return the log likelihood of each block."""
        if not self._blocks:
            return []
        residuals = self.residuals(theta.mean)
        pivots, solved = self._solve(theta.log_amplitude, theta.log_noise, residuals)
        terms = np.log(2.0 * math.pi * pivots) + theta.log_amplitude + (residuals * solved)[:, 0]
        return [float(sum_) for sum_ in -0.5 * np.add.reduceat(terms, self._firsts)]

    def _solve(
        self, log_amplitude: float, log_noise: float, columns: Floats
    ) -> tuple[Floats, Floats]:
        """Return the pivots of T + nu/a I, shape (N,), and K^-1 times the columns (in Q)."""
        shifted = self._diagonal + math.exp(log_noise - log_amplitude)
        pivots, _, solved, _ = dptsv(shifted, self._beside, columns, overwrite_d=1)
        solved *= math.exp(-log_amplitude)
        return pivots, solved
