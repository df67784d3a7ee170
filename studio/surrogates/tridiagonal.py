"""All blocks' covariances as one tridiagonal matrix, where a likelihood costs O(n).

For given length scales C = Q T Q' with Q orthogonal and T tridiagonal (Householder; Golub & Van
Loan 2013, 8.3.1), so K = a C + nu I = Q (a T + nu I) Q': whatever mean, amplitude and noise, the
likelihood of Q'y needs but the factors of a tridiagonal matrix. That is a fraction of the work of
eigenvalues and their vectors. T has a zero between two blocks, so that one matrix holds them all.
"""

import math
from collections.abc import Sequence

import numpy as np
from scipy.linalg.lapack import dormqr, dptsv, dsytrd

from studio.arrays import Floats, Integers
from studio.surrogates.evidence import NUGGET, Block, Hyperparameters

_PANEL = 32
"""Columns that LAPACK reduces at a time (its own choice); its workspaces follow from it."""


class Tridiagonal:
    """The likelihood of all observations for the length scales last told.

    Parameters
    ----------
    blocks : sequence of Block
        N observations in all; none at all are possible.

    Attributes
    ----------
    mean_support : tuple of float
        The lowest and the highest target.
    """

    def __init__(self, blocks: Sequence[Block]) -> None:
        self._blocks = blocks
        self._known: list[Floats | None] = [None] * len(blocks)
        sizes = [len(block.targets) for block in blocks]
        self._ends: Integers = np.cumsum([0, *sizes])
        total = int(self._ends[-1])
        self._diagonal = np.empty(total)
        self._beside = np.zeros(max(1, total - 1))
        self._ones_and_targets = np.empty((total, 2), order="F")
        targets = np.concatenate([block.targets for block in blocks]) if blocks else np.zeros(1)
        self.mean_support = (float(targets.min()), float(targets.max()))

    def update(self, log_lengths: Floats) -> None:
        """Reduce anew the blocks whose length scales have changed."""
        for number, block in enumerate(self._blocks):
            mine = log_lengths[list(block.gram.dims)]
            known = self._known[number]
            if known is None or not np.array_equal(known, mine):
                self._known[number] = mine
                self._reduce(block, log_lengths, *self._ends[number : number + 2].tolist())

    def _reduce(self, block: Block, log_lengths: Floats, first: int, end: int) -> None:
        size = end - first
        rotated = np.column_stack([np.ones(size), block.targets])
        C = block.gram.packing.lower(block.gram.packed(log_lengths))
        if size > 1:
            C, diagonal, beside, tau, _ = dsytrd(C, lower=1, lwork=_PANEL * size, overwrite_a=1)
            # Q leaves the first coordinate alone; its reflectors stand below the first row.
            below, rest = C[1:, :-1], rotated[1:]
            rotated[1:], _, _ = dormqr("L", "T", below, tau, rest, lwork=2 * _PANEL * (_PANEL + 1))
            self._beside[first : end - 1] = beside
        else:
            diagonal = C[0]
        self._diagonal[first:end] = diagonal + NUGGET
        self._ones_and_targets[first:end] = rotated

    def residuals(self, mean: float) -> Floats:
        """Return Q'(y - m), shape (N, 1)."""
        ones, targets = self._ones_and_targets.T
        residuals: Floats = targets - mean * ones
        return residuals[:, None]

    def log_likelihood(self, log_amplitude: float, log_noise: float, residuals: Floats) -> float:
        """Return the log likelihood but for a constant, given :meth:`residuals`."""
        if not len(residuals):
            return 0.0
        pivots, solved = self._solve(log_amplitude, log_noise, residuals)
        log_determinant = float(np.add.reduce(np.log(pivots))) + len(residuals) * log_amplitude
        return -0.5 * (log_determinant + float(residuals[:, 0].dot(solved[:, 0])))

    def mean_moments(self, log_amplitude: float, log_noise: float) -> tuple[float, float]:
        """Return 1'K^-1 1 and 1'K^-1 y."""
        _, solved = self._solve(log_amplitude, log_noise, self._ones_and_targets)
        ones_ones, ones_y = self._ones_and_targets[:, 0] @ solved
        return float(ones_ones), float(ones_y)

    def block_likelihoods(self, theta: Hyperparameters) -> list[float]:
        """Return the log likelihood of each block."""
        if not self._blocks:
            return []
        residuals = self.residuals(theta.mean)
        pivots, solved = self._solve(theta.log_amplitude, theta.log_noise, residuals)
        terms = np.log(2.0 * math.pi * pivots) + theta.log_amplitude + (residuals * solved)[:, 0]
        return [float(sum_) for sum_ in -0.5 * np.add.reduceat(terms, self._ends[:-1])]

    def _solve(
        self, log_amplitude: float, log_noise: float, columns: Floats
    ) -> tuple[Floats, Floats]:
        """Return the pivots of T + nu/a I, shape (N,), and K^-1 times the columns (in Q)."""
        shifted = self._diagonal + math.exp(log_noise - log_amplitude)
        pivots, _, solved, _ = dptsv(shifted, self._beside, columns, overwrite_d=1)
        solved *= math.exp(-log_amplitude)
        return pivots, solved
