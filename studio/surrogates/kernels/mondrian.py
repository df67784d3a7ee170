"""The Mondrian kernel: Mondrian processes on the unit cube, sampled only near points.

A Mondrian process (thesis 5.4.2) cuts a box in two after a time drawn from the exponential
distribution whose rate is the sum of the box's sides, each times its dimension's rate; the cut
dimension is drawn in proportion to these products, and the cut is uniform on its side. The halves
are cut independently until the lifetime is over (Roy & Teh 2009; Balog et al. 2016). The random
numbers of a box come from a hash of its path from the whole cube. Therefore the partition is the
same for any query points, and boxes without points are never expanded.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from studio.arrays import Array, Flags, Floats, Integers
from studio.errors import SurrogateError
from studio.parts import option
from studio.surrogates.kernels.base import Gram, Kernel
from studio.surrogates.kernels.distance import Laplace


@dataclass(frozen=True)
class MondrianKernel(Kernel):
    """k = share of M Mondrian partitions that have both points in one cell (thesis eq. 5.12-5.14).

    Dimension d is cut at the rate 1/l_d, so that two points stay together with probability
    exp(-sum_d |x_d - x'_d| / l_d): as M grows, the average approaches the Laplace kernel with a
    length scale per dimension. The m-th partition is a function of the length scales alone, the
    same for all points and in every call; so covariances among any points are consistent, and every
    covariance matrix is an average of M block matrices of ones, hence positive semidefinite.

    Hyperparameters are learned with the limit, the Laplace kernel (:meth:`make_gram`). The
    likelihood of M sampled partitions is a step function of the length scales, without gradients;
    its steps are random, and each evaluation would cost M new partitions. For the same reason there
    are no gradients with respect to the queried point.
    """

    chunk = 2**22

    key = "mondrian"
    title = "Mondrian"
    summary = (
        "Treats two configurations as alike if random cuts of the space rarely separate them. A "
        "random forest's view of the space in a Gaussian process."
    )
    reference = "thesis 5.4.2, eq. 5.12-5.14; Balog et al. 2016"

    trees: int = option(30, low=1, high=1000, help="Number of random partitions to average.")

    def make_gram(self, X: Floats) -> Gram:
        """Return the limit, as M grows, of the correlations among the rows of X (n, D)."""
        return Laplace().make_gram(X)

    def compute_cross_correlations(self, V: Floats, X: Floats, length_scales: Floats) -> Floats:
        return self.prepare_cross(X, length_scales)(V)

    def prepare_cross(self, X: Floats, length_scales: Floats) -> Callable[[Floats], Floats]:
        """Return the correlations with X (n, D) as a function of other rows."""
        partitions = [Partitions(X, 1.0 / row, self.trees) for row in length_scales]

        def correlations(V: Floats) -> Floats:
            correlations_by_part = np.empty((len(partitions), len(V), len(X)))
            for partition, correlation in zip(partitions, correlations_by_part, strict=True):
                np.divide(
                    _count_common_trees(partition.find_cells(V), partition.cells),
                    self.trees,
                    out=correlation,
                )
            return correlations_by_part

        return correlations

    def compute_vjp(self, V: Floats, X: Floats, length_scales: Floats, weights: Floats) -> Floats:
        """Raise SurrogateError for arrays of any shape: the kernel is piecewise constant."""
        del V, X, length_scales, weights
        raise SurrogateError(
            "The Mondrian kernel has no gradients, which sobol-lbfgs needs; choose the maximiser "
            "local-search or random, or the kernel laplace, to which it averages."
        )


def _count_common_trees(cells: Integers, other_cells: Integers) -> Integers:
    """Return the number of trees in which two points are in one cell, (q, n).

    The cells have shapes (trees, q) and (trees, n).
    """
    count = np.zeros((cells.shape[1], other_cells.shape[1]), dtype=np.int16)
    # 32-bit integers double the speed of this innermost loop.
    cells_32, other_cells_32 = cells.astype(np.int32), other_cells.astype(np.int32)
    for tree_cells, other_tree_cells in zip(cells_32, other_cells_32, strict=True):
        count += tree_cells[:, None] == other_tree_cells[None, :]
    return count.astype(np.int64)


_Names = Array[np.uint64]

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_LIFETIME = 1.0
"""Lifetime for which rates are inverse length scales: lambda = 1/l."""


class _Level(NamedTuple):
    """All boxes with points at one depth.

    Attributes:
        cell: Shape (N,). The box's final cell, -1 where it is cut.
        dim, cut: Shape (N,). Dimension and position of its cut.
        child_indices: Shape (N, 2). Indices of its halves in the next level, -1 for a half without
            points.
    """

    cell: Integers
    dim: Integers
    cut: Floats
    child_indices: Integers


class Partitions:
    """Mondrian processes of one set of rates, restricted to the given points.

    Args:
        X: Shape (n, D). Points in the unit cube.
        rates: Shape (D,). Cuts per unit of time and length in each dimension.
        n_trees: Number of processes; the m-th is the same in every call.

    Attributes:
        cells: Shape (n_trees, n). The cell of each point, numbered from 0 over all trees.
    """

    def __init__(self, X: Floats, rates: Floats, n_trees: int) -> None:
        self._trees = n_trees
        self._levels: list[_Level] = []
        size = len(X)
        boxes = _Boxes.make_unit_cubes(n_trees, len(rates))
        cells = np.full(n_trees * size, -1, dtype=np.int64)
        indices = np.arange(n_trees * size)
        partition_index = indices // max(size, 1)
        count = 0
        while len(indices):
            is_uncut, dim, positions = boxes.cut(rates)
            cell = np.where(is_uncut, count + np.cumsum(is_uncut) - 1, -1)
            count += int(is_uncut.sum())
            cells[indices] = cell[partition_index]
            is_cut = ~is_uncut[partition_index]
            indices, partition_index = indices[is_cut], partition_index[is_cut]
            half_index = 2 * partition_index + (
                X[indices % size, dim[partition_index]] > positions[partition_index]
            )
            occupied_halves = np.flatnonzero(np.bincount(half_index, minlength=2 * len(cell)))
            children = np.full(2 * len(cell), -1, dtype=np.int64)
            children[occupied_halves] = np.arange(len(occupied_halves))
            partition_index = children[half_index]
            self._levels.append(_Level(cell, dim, positions, children.reshape(-1, 2)))
            boxes = boxes.make_halves(occupied_halves, dim, positions)
        self.cells = cells.reshape(n_trees, size)

    def find_cells(self, V: Floats) -> Integers:
        """Return the cells of other points, shape (trees, q); -1 for cells without given points."""
        size = len(V)
        cells = np.full(self._trees * size, -1, dtype=np.int64)
        indices = np.arange(self._trees * size)
        partition_index = indices // max(size, 1)
        for level in self._levels:
            cell = level.cell[partition_index]
            cells[indices] = cell
            is_undecided = cell < 0
            indices, partition_index = indices[is_undecided], partition_index[is_undecided]
            is_upper = V[indices % size, level.dim[partition_index]] > level.cut[partition_index]
            partition_index = level.child_indices[partition_index, is_upper.astype(np.int64)]
            is_known = partition_index >= 0
            indices, partition_index = indices[is_known], partition_index[is_known]
        return cells.reshape(self._trees, size)


class _Boxes(NamedTuple):
    """Boxes of one depth: their names (hashes), corners (N, D), and birth times (N,)."""

    names: _Names
    low: Floats
    high: Floats
    birth_times: Floats

    @classmethod
    def make_unit_cubes(cls, n_trees: int, n_dimensions: int) -> "_Boxes":
        """Return the whole cube at time 0, once per tree."""
        shape = (n_trees, n_dimensions)
        names = _hash_names(np.arange(n_trees, dtype=np.uint64))
        return cls(names, np.zeros(shape), np.ones(shape), np.zeros(n_trees))

    def cut(self, rates: Floats) -> tuple[Flags, Integers, Floats]:
        """Return which boxes are not cut, and the dimension and position of other cuts, (N,) each.

        ``birth_times`` is set to the time of the cut, at which the halves are born. Rates have
        shape (D,).
        """
        side_lengths = self.high - self.low
        cumulative_rates = np.cumsum(side_lengths * rates, axis=1)
        if not cumulative_rates.shape[1]:
            zeros = np.zeros(len(side_lengths), dtype=np.int64)
            return np.ones(len(side_lengths), dtype=bool), zeros, np.zeros(len(side_lengths))
        total = cumulative_rates[:, -1]
        # A box without extent has rate 0 and is never cut.
        waiting = -np.log(_hash_to_uniform(self.names, 1)) / np.maximum(total, 1e-300)
        np.add(self.birth_times, waiting, out=self.birth_times)
        dim = (cumulative_rates <= (_hash_to_uniform(self.names, 2) * total)[:, None]).sum(axis=1)
        dim = np.minimum(dim, cumulative_rates.shape[1] - 1)
        rows = np.arange(len(dim))
        position = self.low[rows, dim] + _hash_to_uniform(self.names, 3) * side_lengths[rows, dim]
        return self.birth_times > _LIFETIME, dim, position

    def make_halves(self, parents: Integers, dim: Integers, position: Floats) -> "_Boxes":
        """Return the halves of boxes at indices: 2 i is the lower half of box i, 2 i + 1 the upper.

        The indices have shape (k,); dimension and position of all boxes' cuts (N,).
        """
        parent, upper = parents // 2, parents % 2
        names = _hash_names(self.names[parent] + (upper.astype(np.uint64) + np.uint64(4)) * _GOLDEN)
        low, high = self.low[parent], self.high[parent]
        ups, downs = np.flatnonzero(upper == 1), np.flatnonzero(upper == 0)
        low[ups, dim[parent[ups]]] = position[parent[ups]]
        high[downs, dim[parent[downs]]] = position[parent[downs]]
        return _Boxes(names, low, high, self.birth_times[parent])


def _hash_to_uniform(names: _Names, stream: int) -> Floats:
    """Return a uniform number in (0, 1) for each name and stream."""
    hashed = _hash_names(names + np.array([stream], dtype=np.uint64) * _GOLDEN)
    uniform: Floats = ((hashed >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53
    return uniform


def _hash_names(names: _Names) -> _Names:
    """Hash names (N,) to all 64 bits (SplitMix64: Steele, Lea & Flood 2014)."""
    z = names + _GOLDEN
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    hashed: _Names = z ^ (z >> np.uint64(31))
    return hashed
