"""Kernels of a weighted distance: k = c(r), r = b sum_d |x_d - x'_d|^p / l_d^p."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from scipy.linalg.blas import dgemm

from studio.arrays import Floats
from studio.surrogates.kernels.base import Gram, Kernel, PackedTriangle

_MIN_BATCH_NUMBERS = 2**15
"""Number of differences held at a time."""


class DistanceKernel(Kernel):
    """Base of kernels that depend on two points only through their weighted distance r.

    Attributes:
        power: The exponent p of the coordinate differences, 1 or 2.
        factor: The factor b, which simplifies c(r) and is folded into the weights of the
            dimensions.
    """

    power: ClassVar[int] = 2
    factor: ClassVar[float]

    def compute_correlation(self, r: Floats, scratch: Floats) -> Floats:
        """Overwrite ``r`` with c(r), here exp(r), and return it; ``scratch`` has the same shape."""
        del scratch
        return np.exp(r, out=r)

    def compute_derivative(self, r: Floats) -> Floats:
        """Return dc/dr, here exp(r), same shape as ``r``."""
        derivative: Floats = np.exp(r)
        return derivative

    def make_gram(self, X: Floats) -> Gram:
        return DistanceGram(self, X)

    def compute_cross_correlations(self, V: Floats, X: Floats, length_scales: Floats) -> Floats:
        r = self._compute_distances(V, X, length_scales)
        return self.compute_correlation(r, np.empty_like(r))

    def compute_vjp(self, V: Floats, X: Floats, length_scales: Floats, weights: Floats) -> Floats:
        """Return the gradient of sum_n weights[…, s, q, n] k(V[q], X[n]) in V[q], (…, S, q, D)."""
        pulled_back = weights * self.compute_derivative(
            self._compute_distances(V, X, length_scales)
        )
        difference = V[:, None, :] - X[None, :, :]
        change = 2.0 * difference if self.power == 2 else np.sign(difference)
        # Sums over n for each row q and dimension, as one small matrix product per row.
        summed = np.matmul(np.moveaxis(pulled_back, -2, 0), change[:, *[None] * (weights.ndim - 3)])
        gradient: Floats = (
            np.moveaxis(summed, 0, -2) * self.compute_weights(length_scales)[:, None, :]
        )
        return gradient

    def compute_weights(self, length_scales: Floats) -> Floats:
        """Return the weight of |difference|^p along each dimension in r, same shape."""
        weights: Floats = self.factor * length_scales ** -float(self.power)
        return weights

    def compute_differences(self, V: Floats, X: Floats) -> Floats:
        """Return |v - x|^p for the entries of two arrays of any shape that broadcast."""
        powers: Floats = np.subtract(V, X)
        if self.power == 2:
            return np.multiply(powers, powers, out=powers)
        return np.abs(powers, out=powers)

    def _compute_distances(self, V: Floats, X: Floats, length_scales: Floats) -> Floats:
        if len(length_scales) == 1:
            return self._compute_distances_once(V, X, length_scales)
        varying = np.flatnonzero((X[:1] != V).any(axis=0) | (X[:1] != X).any(axis=0))
        weights = self.compute_weights(length_scales[:, varying])
        V, X = V.T[varying][:, :, None], X.T[varying][:, None, :]
        rows, n_columns = V.shape[1], X.shape[2]
        r = np.zeros((len(length_scales), rows * n_columns))
        # Shared differences are computed in steps that need no more memory than the result: a
        # hundred dimensions together would need gigabytes.
        step = max(len(length_scales), _MIN_BATCH_NUMBERS // max(1, rows * n_columns))
        for first in range(0, len(varying), step):
            chunk = slice(first, first + step)
            powers = self.compute_differences(V[chunk], X[chunk]).reshape(-1, rows * n_columns)
            # The transposes are Fortran-ordered: BLAS adds to r in place.
            dgemm(1.0, powers.T, weights[:, chunk].T, beta=1.0, c=r.T, overwrite_c=1)
        return r.reshape(len(length_scales), rows, n_columns)

    def _compute_distances_once(self, V: Floats, X: Floats, length_scales: Floats) -> Floats:
        """Return r, (1, q, n), of V (q, D), X (n, D), for a single set of length scales (1, D)."""
        # scipy.spatial is slow to import, and most surrogates have several hyperparameter samples.
        from scipy.spatial.distance import cdist

        metric: Literal["sqeuclidean", "cityblock"]
        metric = "sqeuclidean" if self.power == 2 else "cityblock"
        unit = length_scales[0] / abs(self.factor) ** (1.0 / self.power)
        r: Floats = cdist(V / unit, X / unit, metric)[None]
        return r if self.factor > 0.0 else np.negative(r, out=r)


class DistanceGram(Gram):
    """Correlations among the rows of one block, from cached coordinate differences."""

    def __init__(self, kernel: DistanceKernel, X: Floats) -> None:
        self._kernel = kernel
        self.packing = PackedTriangle.make(len(X))
        self._columns = np.flatnonzero((X[:1] != X).any(axis=0))
        self.dims = tuple(self._columns.tolist())
        self._index_by_dim = {dim: index for index, dim in enumerate(self.dims)}
        varying = X.T[self._columns]
        self._differences = kernel.compute_differences(
            varying[:, self.packing.rows], varying[:, self.packing.columns]
        )
        self._buffer = np.empty(len(self.packing.rows))
        self._scratch = np.empty(len(self.packing.rows))

    def compute_packed(self, log_length_scales: Floats) -> Floats:
        return self._kernel.compute_correlation(
            self._compute_distances(log_length_scales), self._scratch
        )

    def make_slice(self, log_length_scales: Floats, dim: int) -> Callable[[float], Floats]:
        index = self._index_by_dim[dim]
        weights = self._compute_weights(log_length_scales)
        weights[index] = 0.0
        fixed_part = weights @ self._differences
        differences_along, power, factor = (
            self._differences[index],
            self._kernel.power,
            self._kernel.factor,
        )
        buffer, scratch, correlation = self._buffer, self._scratch, self._kernel.compute_correlation

        def compute_correlations(log_length: float) -> Floats:
            np.multiply(differences_along, factor * math.exp(-power * log_length), out=buffer)
            np.add(buffer, fixed_part, out=buffer)
            return correlation(buffer, scratch)

        return compute_correlations

    def compute_log_length_gradients(self, log_length_scales: Floats, weights: Floats) -> Floats:
        """Return d(sum of weights * correlations) / d(log length scales), shape (D,)."""
        pulled = weights * self._kernel.compute_derivative(
            self._compute_distances(log_length_scales)
        )
        # Each entry represents two of the matrix; diagonal distances are 0.
        sums = 2.0 * (self._differences @ pulled)
        gradient = np.zeros(len(log_length_scales))
        gradient[self._columns] = (
            -self._kernel.power * self._compute_weights(log_length_scales) * sums
        )
        return gradient

    def _compute_weights(self, log_length_scales: Floats) -> Floats:
        return self._kernel.compute_weights(np.exp(log_length_scales[self._columns]))

    def _compute_distances(self, log_length_scales: Floats) -> Floats:
        distances: Floats = self._compute_weights(log_length_scales) @ self._differences
        return distances


@dataclass(frozen=True)
class SquaredExponential(DistanceKernel):
    """k = exp(-1/2 sum_d (x_d - x'_d)^2 / l_d^2): thesis eq. 2.15 with its minus sign."""

    factor = -0.5

    key = "se"
    title = "Squared exponential"
    summary = "Assumes that the objective is perfectly smooth. Good for slow, wavy landscapes."
    reference = "thesis eq. 2.15 (printed without its minus sign)"


_ROOT_3 = math.sqrt(3.0)


@dataclass(frozen=True)
class Matern(DistanceKernel):
    """k = (1 + s + s^2/3) exp(-s), s = sqrt(5 sum_d (x_d - x'_d)^2 / l_d^2).

    Rasmussen & Williams 2006, eq. 4.17, with a length scale per dimension; Snoek et al. 2012.
    """

    factor = 5.0 / 3.0

    key = "matern"
    title = "Matérn 5/2"
    summary = (
        "Assumes that the objective is smooth, but not perfectly so. The usual choice for tuning."
    )
    reference = "Snoek et al. 2012; Rasmussen & Williams 2006, eq. 4.17; SMBEO 2"

    def compute_correlation(self, r: Floats, scratch: Floats) -> Floats:
        """Overwrite r = s^2/3, any shape, with the correlation."""
        # Each pass matters: this is the innermost loop of a suggestion.
        np.sqrt(r, out=scratch)
        np.multiply(scratch, -_ROOT_3, out=scratch)
        np.subtract(r, scratch, out=r)
        np.add(r, 1.0, out=r)
        np.exp(scratch, out=scratch)
        return np.multiply(r, scratch, out=r)

    def compute_derivative(self, r: Floats) -> Floats:
        """Return the derivative in r = s^2/3, same shape: -1/2 (1 + s) exp(-s)."""
        s = _ROOT_3 * np.sqrt(r)
        derivative: Floats = -0.5 * (1.0 + s) * np.exp(-s)
        return derivative


@dataclass(frozen=True)
class Laplace(DistanceKernel):
    """k = exp(-sum_d |x_d - x'_d| / l_d): thesis eq. 5.15 with a length scale per dimension.

    The Matérn kernel of smoothness 1/2 in the weighted 1-norm, and the limit of the Mondrian
    kernel. It has a kink at x_d = x'_d, where the derivative with respect to x_d is taken as 0, the
    midpoint of the subgradients [-1/l_d, 1/l_d].
    """

    power = 1
    factor = -1.0

    key = "laplace"
    title = "Laplace"
    summary = (
        "Assumes a rough objective, like a random forest. Good where small changes of a "
        "hyperparameter may matter."
    )
    reference = "thesis 5.4.2, eq. 5.15"
