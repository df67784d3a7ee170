"""Trees of pairs, asked about all pairs of two sets at once."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np

from studio.arrays import Flags, Floats, Integers

_LEFT, _MISSING = 2, 12
"""LightGBM's decision types: the bit "missing values go left", and the position of "NaN is missing"
(2 << 2; 0 says that training saw no NaN, and one that comes later counts as 0)."""

_AT_ONCE = 512
"""Rows of the longer set that go through the trees together, and boxes multiplied together."""


class PairTree(NamedTuple):
    """One tree over pairs of rows; inner nodes are numbered from the root, 0.

    Attributes:
        split: What a node asks: a place in :attr:`PairTrees.features` and its likes.
        left, right: The next inner node, or −1 − leaf.
        value: Of the leaves, one more than inner nodes.
    """

    split: tuple[int, ...]
    left: tuple[int, ...]
    right: tuple[int, ...]
    value: tuple[float, ...]

    def boxes(
        self, lefts: Sequence[int], of_first: int, ones: int, others: int
    ) -> Iterator[tuple[int, int, float]]:
        """Yield each leaf that a pair reaches: its first rows, its second rows, its value.

        Args:
            lefts: The rows that each split sends to the left, a bit for each row.
            of_first: How many of the splits, the first ones, are those of the first row.
            ones, others: All first rows and all second rows, a bit for each.
        """
        open_nodes = [(0 if self.split else -1, ones, others)]
        while open_nodes:
            node, ones, others = open_nodes.pop()
            if node < 0:
                yield ones, others, self.value[-1 - node]
                continue
            split = self.split[node]
            if split < of_first:
                here = ones & lefts[split]
                if here:
                    open_nodes.append((self.left[node], here, others))
                if here != ones:
                    open_nodes.append((self.right[node], ones ^ here, others))
            else:
                here = others & lefts[split]
                if here:
                    open_nodes.append((self.left[node], ones, here))
                if here != others:
                    open_nodes.append((self.right[node], ones, others ^ here))


@dataclass(frozen=True)
class PairTrees:
    """A sum of trees over pairs of rows of D coordinates.

    A :data:`studio.surrogates.diversity.base.Model`. Asked through LightGBM itself, 5,000
    candidates and a pool of 20 are 200,000 rows (both orders) that walk through every tree of every
    model. Here all pairs walk together: a leaf holds those of a box of first rows with a box of
    second rows. A set of rows is an integer with a bit for each, so a step down the tree is an
    "and". With A (boxes, q) and B (boxes, p) saying who is in which box, the values of all pairs
    are Aᵀ diag(value) B. The longer set goes in order and in parts, so that the rows of a part are
    alike and reach few of the boxes.

    Attributes:
        features: Shape (k,). Of each distinct split the coordinate of the first row, or from D on
            of the second; ascending.
        thresholds: Shape (k,). Values up to it go left.
        missing_left: Shape (k,). Whether NaN goes left.
    """

    trees: Sequence[PairTree]
    features: Integers
    thresholds: Floats
    missing_left: Flags

    @classmethod
    def of_text(cls, text: str) -> Self:
        """Read LightGBM's text of a model of numerical splits (``Booster.model_to_string``)."""
        asked, trees = [], []
        for block in text.split("\nTree=")[1:]:
            lines = block.split("\n\n", 1)[0].splitlines()[1:]
            fields = dict(line.split("=", 1) for line in lines if "=" in line)
            feature, decision, left, right = (
                tuple(map(int, fields.get(name, "").split()))
                for name in ("split_feature", "decision_type", "left_child", "right_child")
            )
            threshold = tuple(map(float, fields.get("threshold", "").split()))
            splits = list(
                zip(feature, threshold, map(_goes_left, decision, threshold), strict=True)
            )
            asked.append(splits)
            trees.append((left, right, tuple(map(float, fields["leaf_value"].split()))))
        distinct = sorted({split for splits in asked for split in splits})
        place = {split: number for number, split in enumerate(distinct)}
        return cls(
            [
                PairTree(tuple(place[split] for split in splits), *rest)
                for splits, rest in zip(asked, trees, strict=True)
            ],
            np.array([feature for feature, _, _ in distinct], dtype=np.int64),
            np.array([threshold for _, threshold, _ in distinct], dtype=float),
            np.array([missing for _, _, missing in distinct], dtype=bool),
        )

    def __call__(self, U: Floats, V: Floats) -> Floats:
        """Return the sum of the trees' values of all pairs (u, v), shape (q, p)."""
        total = np.empty((len(U), len(V)))
        if len(U) < len(V):
            whole = self._answers(U, 0)
            for part in _parts(V):
                total[:, part] = self._sum(whole, self._answers(V[part], U.shape[1]))
        else:
            whole = self._answers(V, U.shape[1])
            for part in _parts(U):
                total[part] = self._sum(self._answers(U[part], 0), whole)
        return total

    def _answers(self, rows: Floats, offset: int) -> "_Answers":
        """Return how rows (n, D) answer the splits of their coordinates, from ``offset`` on."""
        step = -(-len(rows) // 8)
        lefts: list[int] = []
        for feature, values in enumerate(rows.T, start=offset):
            first, end = np.searchsorted(self.features, (feature, feature + 1)).tolist()
            goes = values <= self.thresholds[first:end, None]
            goes[:, np.isnan(values)] = self.missing_left[first:end, None]
            bits = np.packbits(goes, axis=1, bitorder="little").tobytes()
            lefts += [
                int.from_bytes(bits[at : at + step], "little") for at in range(0, len(bits), step)
            ]
        return _Answers(len(rows), lefts)

    def _sum(self, first: "_Answers", second: "_Answers") -> Floats:
        """Return the sum over the trees for all pairs of these rows, shape (q, p)."""
        total = np.zeros((first.rows, second.rows))
        lefts, of_first = first.lefts + second.lefts, len(first.lefts)
        everyone = (1 << first.rows) - 1, (1 << second.rows) - 1
        boxes: list[tuple[int, int, float]] = []
        for tree in self.trees:
            boxes += tree.boxes(lefts, of_first, *everyone)
            if len(boxes) >= _AT_ONCE or tree is self.trees[-1]:
                ones, others, values = zip(*boxes, strict=True)
                weights = np.array(values)[:, None] * _as_matrix(others, second.rows)
                total += _as_matrix(ones, first.rows).T @ weights
                boxes = []
        return total


class _Answers(NamedTuple):
    """How rows answer splits.

    Attributes:
        rows: How many there are.
        lefts: Of each split the rows that go left, a bit for each.
    """

    rows: int
    lefts: list[int]


def _goes_left(decision: int, threshold: float) -> bool:
    """Return whether NaN goes left, by LightGBM's decision type."""
    return bool(decision & _LEFT) if decision & _MISSING else threshold >= 0.0


def _parts(rows: Floats) -> list[Integers]:
    """Return row numbers in parts, (k,) each, of (n, D) that are alike: a branch's are adjacent."""
    order = np.lexsort(rows.T[::-1])
    return np.array_split(order, -(-len(rows) // _AT_ONCE))


def _as_matrix(sets: Sequence[int], count: int) -> Floats:
    """Return which of ``count`` rows each set holds as 0 and 1, shape (len(sets), count)."""
    step = -(-count // 8)
    bits = np.frombuffer(b"".join(each.to_bytes(step, "little") for each in sets), dtype=np.uint8)
    held = np.unpackbits(bits.reshape(-1, step), axis=1, count=count, bitorder="little")
    return held.astype(float)
