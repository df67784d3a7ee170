"""Kernels of one weighted distance: k = c(r), r = sum_d |x_d - x'_d|^p / l_d^p.

The squared exponential and Matérn have p = 2, the Laplace kernel p = 1. Differences are computed
once a block and dimension, so another length scale costs one pass over the block.
"""

from abc import abstractmethod
from collections.abc import Callable
from typing import ClassVar, Literal

import numpy as np

from studio.arrays import Floats
from studio.surrogates.kernels.base import Gram, Kernel


class DistanceKernel(Kernel):
    """Base of kernels that see two points only through their weighted distance r.

    Attributes
    ----------
    power : int
        The exponent p of the coordinate differences, 1 or 2.
    """

    power: ClassVar[int] = 2

    @abstractmethod
    def correlation(self, r: Floats, scratch: Floats) -> Floats:
        """Overwrite ``r`` with c(r) and return it; ``scratch`` has the same shape."""

    @abstractmethod
    def slope(self, r: Floats) -> Floats:
        """Return dc/dr, same shape as ``r``."""

    def gram(self, X: Floats) -> Gram:
        """Prepare the correlations among the rows of X, shape (n, D)."""
        return DistanceGram(self, X)

    def cross(self, V: Floats, X: Floats, lengths: Floats) -> Floats:
        """Return the correlations of V with X under each set of length scales, (S, q, n)."""
        r = self._distances(V, X, lengths)
        return self.correlation(r, np.empty_like(r))

    def pull_back(self, V: Floats, X: Floats, lengths: Floats, weights: Floats) -> Floats:
        """Return the gradient of sum_n weights * k(V[q], X[n]) in V[q], shape (S, q, D)."""
        pulled = weights * self.slope(self._distances(V, X, lengths))
        # S sums over n for every row q and dimension: one small matrix product a row.
        difference = V[:, None, :] - X[None, :, :]
        change = self.power * np.sign(difference) * np.abs(difference) ** (self.power - 1)
        summed = np.matmul(pulled.transpose(1, 0, 2), change).transpose(1, 0, 2)
        gradient: Floats = summed / lengths[:, None, :] ** self.power
        return gradient

    def differences(self, V: Floats, X: Floats) -> tuple[tuple[int, ...], Floats]:
        """Return the dimensions in which V and X differ, and |difference|^p, (dims, q, n)."""
        all_rows = np.concatenate([V, X])
        dims = np.flatnonzero((all_rows != all_rows[:1]).any(axis=0))
        apart = np.empty((len(dims), len(V), len(X)))
        for place, dim in enumerate(dims):
            np.subtract(V[:, dim, None], X[None, :, dim], out=apart[place])
        if self.power == 2:
            np.multiply(apart, apart, out=apart)
        else:
            np.abs(apart, out=apart)
        return tuple(int(dim) for dim in dims), apart

    def _distances(self, V: Floats, X: Floats, lengths: Floats) -> Floats:
        # scipy.spatial takes a while to import, and whoever only opens the window does without it.
        from scipy.spatial.distance import cdist

        metric: Literal["sqeuclidean", "cityblock"]
        metric = "sqeuclidean" if self.power == 2 else "cityblock"
        r: Floats = np.empty((len(lengths), len(V), len(X)))
        # Not by way of the differences in each dimension: of a hundred they fill gigabytes.
        for model, row in enumerate(lengths):
            r[model] = cdist(V / row, X / row, metric)
        return r


class DistanceGram(Gram):
    """Correlations among the rows of one block, from cached coordinate differences."""

    def __init__(self, kernel: DistanceKernel, X: Floats) -> None:
        self._kernel = kernel
        self.dims, self._apart = kernel.differences(X, X)
        self._place = {dim: place for place, dim in enumerate(self.dims)}
        self._size = len(X)
        self._flat = self._apart.reshape(len(self.dims), len(X) ** 2)
        self._buffer = np.empty((self._size, self._size))
        self._scratch = np.empty((self._size, self._size))

    def matrix(self, log_lengths: Floats) -> Floats:
        """Return the correlations, shape (n, n)."""
        r = self._distances(self._weights(log_lengths))
        return self._kernel.correlation(r, self._scratch)

    def along(self, log_lengths: Floats, dim: int) -> Callable[[float], Floats]:
        """Return the correlations as a function of one log length scale."""
        place = self._place[dim]
        weights = self._weights(log_lengths)
        weights[place] = 0.0
        rest = self._distances(weights)
        own, power = self._apart[place], self._kernel.power

        def correlations(log_length: float) -> Floats:
            np.multiply(own, np.exp(-power * log_length), out=self._buffer)
            np.add(self._buffer, rest, out=self._buffer)
            return self._kernel.correlation(self._buffer, self._scratch)

        return correlations

    def slopes(self, log_lengths: Floats, weights: Floats) -> Floats:
        """Return d(sum of weights * correlations) / d(log length scales), shape (D,)."""
        scale = self._weights(log_lengths)
        pulled = weights * self._kernel.slope(self._distances(scale))
        sums = self._flat @ pulled.ravel()
        gradient = np.zeros(len(log_lengths))
        gradient[list(self.dims)] = -self._kernel.power * scale * sums
        return gradient

    def _weights(self, log_lengths: Floats) -> Floats:
        weights: Floats = np.exp(-self._kernel.power * log_lengths[list(self.dims)])
        return weights

    def _distances(self, weights: Floats) -> Floats:
        flat: Floats = weights @ self._flat
        return flat.reshape(self._size, self._size)
