"""Trees of pairs, asked about all pairs of two sets at once."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np

from studio.arrays import Flags, Floats, Integers

_LEFT, _MISSING = 2, 12
"""LightGBM's decision types: the bit "missing values go left", and where "NaN is missing" stands
(2 << 2; 0 says that training saw no NaN, and one that comes later counts as 0)."""


class PairTree(NamedTuple):
    """One tree over pairs of rows of D coordinates; inner nodes are numbered from the root, 0.

    Attributes
    ----------
    feature : array, shape (i,)
        Coordinate that a node looks at: of the first row, or from D on of the second.
    threshold : array, shape (i,)
        Values up to it go left.
    decision : array, shape (i,)
        LightGBM's decision type.
    left, right : array, shape (i,)
        The next inner node, or −1 − leaf.
    value : array, shape (i + 1,)
        Of the leaves.
    """

    feature: Integers
    threshold: Floats
    decision: Integers
    left: Integers
    right: Integers
    value: Floats

    def add_to(self, total: Floats, first: Floats, second: Floats) -> None:
        """Add the tree's values of all pairs to ``total``, shape (q, p).

        A leaf holds the pairs of a box of first rows with a box of second rows. With A (q, leaves)
        and B (p, leaves) saying who is in which box, the values are A diag(value) Bᵀ.

        Parameters
        ----------
        total : array, shape (q, p)
            Changed in place.
        first, second : array, shapes (D, q) and (D, p)
            The rows as columns.
        """
        dimensions = len(first)
        whose = np.ones(first.shape[1], dtype=bool), np.ones(second.shape[1], dtype=bool)
        open_nodes: list[tuple[int, Flags, Flags]] = [(0 if len(self.feature) else -1, *whose)]
        inside: list[Flags] = []
        weights: list[Floats] = []
        while open_nodes:
            node, one, other = open_nodes.pop()
            if node < 0:
                inside.append(one)
                weights.append(other * self.value[-1 - node])
                continue
            feature, left, right = self.feature[node], int(self.left[node]), int(self.right[node])
            if feature < dimensions:
                goes = self._goes_left(node, first[feature])
                halves = [(left, one & goes, other), (right, one & ~goes, other)]
                open_nodes += [half for half in halves if half[1].any()]
            else:
                goes = self._goes_left(node, second[feature - dimensions])
                halves = [(left, one, other & goes), (right, one, other & ~goes)]
                open_nodes += [half for half in halves if half[2].any()]
        total += np.array(inside, dtype=float).T @ np.array(weights)

    def _goes_left(self, node: int, values: Floats) -> Flags:
        decision = int(self.decision[node])
        below: Flags = values <= self.threshold[node]
        missing_goes_left = decision & _LEFT if decision & _MISSING else self.threshold[node] >= 0.0
        return below | np.isnan(values) if missing_goes_left else below


@dataclass(frozen=True)
class PairTrees:
    """A sum of trees; a :data:`studio.surrogates.diversity.base.Model`.

    Asked through LightGBM itself, 5,000 candidates and a pool of 20 are 200,000 rows (both orders)
    that walk through every tree of every model. Here a tree is walked through once by all, and a
    branch that no member of the pool reaches is left out: the same numbers but for the rounding of
    their sum, in about a fifth of the time.
    """

    trees: Sequence[PairTree]

    @classmethod
    def of_text(cls, text: str) -> Self:
        """Read LightGBM's text of a model of numerical splits (``Booster.model_to_string``)."""
        trees = []
        for block in text.split("\nTree=")[1:]:
            lines = block.split("\n\n", 1)[0].splitlines()[1:]
            fields = dict(line.split("=", 1) for line in lines if "=" in line)
            whole = {
                name: np.array(fields.get(name, "").split(), dtype=np.int64)
                for name in ("split_feature", "decision_type", "left_child", "right_child")
            }
            trees.append(
                PairTree(
                    feature=whole["split_feature"],
                    threshold=np.array(fields.get("threshold", "").split(), dtype=float),
                    decision=whole["decision_type"],
                    left=whole["left_child"],
                    right=whole["right_child"],
                    value=np.array(fields["leaf_value"].split(), dtype=float),
                )
            )
        return cls(trees)

    def __call__(self, U: Floats, V: Floats) -> Floats:
        """Return the sum of the trees' values of all pairs (u, v), shape (q, p)."""
        total = np.zeros((len(U), len(V)))
        first, second = np.ascontiguousarray(U.T), np.ascontiguousarray(V.T)
        for tree in self.trees:
            tree.add_to(total, first, second)
        return total
