"""The diversity surrogate of DivBO: several LightGBM models."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self

import numpy as np

from studio.arrays import Flags, Floats, Integers
from studio.parts import option
from studio.surrogates.diversity.base import (
    BoostedDiversity,
    DiversityPosterior,
    Model,
    check_observed,
)

_MAX_UNSAMPLED_COLUMNS = 3
"""With up to this many columns, 5/6 of them rounds to all, so columns are not sampled."""

_COLUMN_SAMPLING: dict[str, Any] = {"feature_fraction": 5 / 6}
_PAIR_SAMPLING: dict[str, Any] = {"bagging_fraction": 5 / 6, "bagging_freq": 1}

_MAX_CACHED = 16
"""Number of cached models; each takes about a megabyte."""

_MODEL_CACHE: dict[tuple["LightGbmDiversity", bytes], Model] = {}
"""Models by settings and a digest of the training data, in order of last use."""


@dataclass(frozen=True)
class LightGbmDiversity(BoostedDiversity):
    """LightGBM models that differ in their trees' random columns, and later in their training data.

    DivBO gives neither their number nor their settings. These were chosen by Kendall's tau between
    predicted and true diversities of pairs of a new and an observed configuration (250 random
    trials of sklearn-cash on two data sets): 100 trees of 63 leaves at learning rate 0.2 reach
    0.95, LightGBM's default of 31 leaves at 0.1 reaches 0.90 in the same time, and OpenBox's
    surrogate (0.03 and, by a misprint, 22 leaves) 0.80.

    Each tree uses 5/6 of the columns, as in OpenBox; otherwise all seeds would give the same model.
    (With a single hyperparameter, both columns of the pairs are required; each tree then uses 5/6
    of the pairs.)

    With few trials all models are trained on all pairs. From ``in_turn`` trials on, the models are
    renewed one at a time: with five models and n trials, they are trained on the first n, n − 1, …,
    n − 4 trials (decision 34). The model of the first m trials depends only on these and on m, its
    seed, so cached and retrained models are equal, and a suggestion only has to train one if the
    others are cached.

    A leaf may hold as few as 3 pairs and a bin a single one, since 5 trials make only 25 pairs. One
    thread and fixed histograms make results reproducible to the bit for the same rows and seed.
    """

    key = "lightgbm"
    title = "LightGBM"
    summary = (
        "Several boosted tree models learn the diversity of all pairs of trials. Where the "
        "models disagree, the prediction is uncertain."
    )
    reference = "DivBO 3.1; Ke et al. 2017"

    in_turn: int = option(
        200,
        low=2,
        high=1_000_000,
        unit="trials",
        help=(
            "From this many trials on, each new trial retrains one model in turn; before, all are "
            "retrained on all trials."
        ),
    )

    def fit(self, U: Floats, diversity: Floats, rng: np.random.Generator) -> DiversityPosterior:
        """Fit to observed diversities of trials in the order in which they finished.

        U has shape (k, D), diversity (k, k). If models are renewed one at a time, ``rng`` is not
        used.
        """
        newest = len(U)
        oldest = newest - self.models + 1
        if newest < self.in_turn or 2 * oldest < newest:
            return super().fit(U, diversity, rng)
        check_observed(U, diversity)
        return DiversityPosterior(
            [self._get_first_model(U[:m], diversity[:m, :m]) for m in range(newest, oldest - 1, -1)]
        )

    def _get_first_model(self, U: Floats, diversity: Floats) -> Model:
        """Return the model of trials (n, D), diversity (n, n), from the cache or newly trained."""
        fingerprint = hashlib.blake2b(np.ascontiguousarray(U).data)
        fingerprint.update(np.ascontiguousarray(diversity).data)
        name = (self, fingerprint.digest())
        model = _MODEL_CACHE.pop(name, None)
        if model is None:
            single_model, rng = replace(self, models=1), np.random.default_rng(len(U))
            (model,) = super(LightGbmDiversity, single_model).fit(U, diversity, rng).models
        _MODEL_CACHE[name] = model
        while len(_MODEL_CACHE) > _MAX_CACHED:
            del _MODEL_CACHE[next(iter(_MODEL_CACHE))]
        return model

    def train(self, X: Floats, y: Floats, rng: np.random.Generator) -> Sequence[Model]:
        """Bin the pairs X (n, 2D), y (n,) once and train the models in turn on one thread."""
        import lightgbm

        drawing = _PAIR_SAMPLING if X.shape[1] <= _MAX_UNSAMPLED_COLUMNS else {}
        binned_data = lightgbm.Dataset(X, y)
        models: list[Model] = []
        for seed in rng.integers(2**31 - 1, size=self.models).tolist():
            settings = {**self._make_settings(), **_COLUMN_SAMPLING, **drawing, "seed": seed}
            booster = lightgbm.train(settings, binned_data, self.trees, keep_training_booster=True)
            models.append(PairTrees.from_booster_text(booster.model_to_string()))
        return models

    def _make_settings(self) -> dict[str, Any]:
        return {
            "objective": "regression",
            "num_leaves": self.leaves,
            "learning_rate": self.rate,
            "min_data_in_leaf": 3,
            "min_data_in_bin": 1,
            "feature_pre_filter": False,
            "num_threads": 1,
            "deterministic": True,
            # The trees do not depend on these two, but the training time does: a sixth less.
            "force_row_wise": True,
            "is_enable_sparse": False,
            "verbose": -1,
        }


_LEFT, _MISSING = 2, 12
"""Masks of LightGBM's decision types: "missing values go left", and the missing type (2 << 2: NaN;
0: training saw no NaN, and a later one counts as 0)."""

_MAX_BATCH = 512
"""Number of rows of the longer set evaluated together, and of boxes multiplied together."""


class _PairTree(NamedTuple):
    """One tree over pairs of rows; inner nodes are numbered from the root, 0.

    Attributes:
        split: The split of each node, as an index into :attr:`PairTrees.features`, ``thresholds``
            and ``missing_left``.
        left, right: Child of each node: an inner node, or −1 − leaf.
        value: Values of the leaves, of which there is one more than inner nodes.
    """

    split: tuple[int, ...]
    left: tuple[int, ...]
    right: tuple[int, ...]
    value: tuple[float, ...]

    def iterate_boxes(
        self, lefts: Sequence[int], n_first_splits: int, first_set: int, second_set: int
    ) -> Iterator[tuple[int, int, float]]:
        """Yield first rows, second rows and value of each leaf reached by a pair.

        Args:
            lefts: The rows sent to the left by each split, as one bit per row.
            n_first_splits: The number of leading splits that concern the first row.
            first_set, second_set: All first rows and all second rows, as one bit per row.
        """
        open_nodes = [(0 if self.split else -1, first_set, second_set)]
        while open_nodes:
            node, first_set, second_set = open_nodes.pop()
            if node < 0:
                yield first_set, second_set, self.value[-1 - node]
                continue
            split = self.split[node]
            if split < n_first_splits:
                going_left = first_set & lefts[split]
                if going_left:
                    open_nodes.append((self.left[node], going_left, second_set))
                if going_left != first_set:
                    open_nodes.append((self.right[node], first_set ^ going_left, second_set))
            else:
                going_left = second_set & lefts[split]
                if going_left:
                    open_nodes.append((self.left[node], first_set, going_left))
                if going_left != second_set:
                    open_nodes.append((self.right[node], first_set, second_set ^ going_left))


@dataclass(frozen=True)
class PairTrees:
    """A sum of trees over pairs of rows of D coordinates.

    A :data:`studio.surrogates.diversity.base.Model`. In LightGBM, 5,000 candidates and a pool of 20
    give 200,000 rows (both orders) that traverse every tree of every model. Here all pairs traverse
    a tree together: a leaf holds the pairs of a box of first rows with a box of second rows. A set
    of rows is an integer with one bit per row, so a step down the tree is a bitwise "and". With the
    memberships A (boxes, q) and B (boxes, p), the values of all pairs are Aᵀ diag(value) B. The
    longer set is sorted and processed in batches, so that the similar rows of a batch reach few
    boxes.

    Attributes:
        features: Shape (k,). Coordinate of each distinct split, ascending: of the first row, or
            from D on of the second.
        thresholds: Shape (k,). Values up to it go left.
        missing_left: Shape (k,). Whether NaN goes left.
    """

    trees: Sequence[_PairTree]
    features: Integers
    thresholds: Floats
    missing_left: Flags

    @classmethod
    def from_booster_text(cls, text: str) -> Self:
        """Parse LightGBM's text of a model with numerical splits (``Booster.model_to_string``)."""
        split_tables, trees = [], []
        for block in text.split("\nTree=")[1:]:
            lines = block.split("\n\n", 1)[0].splitlines()[1:]
            fields = dict(line.split("=", 1) for line in lines if "=" in line)
            feature, decision, left, right = (
                tuple(map(int, fields.get(name, "").split()))
                for name in ("split_feature", "decision_type", "left_child", "right_child")
            )
            threshold = tuple(map(float, fields.get("threshold", "").split()))
            splits = list(
                zip(
                    feature, threshold, map(_goes_left_if_missing, decision, threshold), strict=True
                )
            )
            split_tables.append(splits)
            trees.append((left, right, tuple(map(float, fields["leaf_value"].split()))))
        distinct = sorted({split for splits in split_tables for split in splits})
        index_by_split = {split: number for number, split in enumerate(distinct)}
        return cls(
            [
                _PairTree(tuple(index_by_split[split] for split in splits), *tree_fields)
                for splits, tree_fields in zip(split_tables, trees, strict=True)
            ],
            np.array([feature for feature, _, _ in distinct], dtype=np.int64),
            np.array([threshold for _, threshold, _ in distinct], dtype=float),
            np.array([missing for _, _, missing in distinct], dtype=bool),
        )

    def __call__(self, U: Floats, V: Floats) -> Floats:
        """Return the sum of the trees' values of all pairs (u, v), shape (q, p)."""
        total = np.empty((len(U), len(V)))
        if len(U) < len(V):
            predictions = self._evaluate_splits(U, 0)
            for row_group in _group_rows(V):
                total[:, row_group] = self._sum_trees(
                    predictions, self._evaluate_splits(V[row_group], U.shape[1])
                )
        else:
            predictions = self._evaluate_splits(V, U.shape[1])
            for row_group in _group_rows(U):
                total[row_group] = self._sum_trees(
                    self._evaluate_splits(U[row_group], 0), predictions
                )
        return total

    def _evaluate_splits(self, rows: Floats, offset: int) -> "_SplitOutcomes":
        """Evaluate the splits of rows (n, D), whose first column is feature ``offset``."""
        step = -(-len(rows) // 8)
        lefts: list[int] = []
        for feature, values in enumerate(rows.T, start=offset):
            first, end = np.searchsorted(self.features, (feature, feature + 1)).tolist()
            is_left = values <= self.thresholds[first:end, None]
            is_left[:, np.isnan(values)] = self.missing_left[first:end, None]
            packed = np.packbits(is_left, axis=1, bitorder="little").tobytes()
            lefts += [
                int.from_bytes(packed[start : start + step], "little")
                for start in range(0, len(packed), step)
            ]
        return _SplitOutcomes(len(rows), lefts)

    def _sum_trees(self, first: "_SplitOutcomes", second: "_SplitOutcomes") -> Floats:
        """Return the sum over the trees for all pairs of these rows, shape (q, p)."""
        total = np.zeros((first.n_rows, second.n_rows))
        lefts, n_first_splits = first.lefts + second.lefts, len(first.lefts)
        root_sets = (1 << first.n_rows) - 1, (1 << second.n_rows) - 1
        boxes: list[tuple[int, int, float]] = []
        for tree in self.trees:
            boxes += tree.iterate_boxes(lefts, n_first_splits, *root_sets)
            if len(boxes) >= _MAX_BATCH or tree is self.trees[-1]:
                first_sets, second_sets, values = zip(*boxes, strict=True)
                weights = np.array(values)[:, None] * _to_matrix(second_sets, second.n_rows)
                total += _to_matrix(first_sets, first.n_rows).T @ weights
                boxes = []
        return total


class _SplitOutcomes(NamedTuple):
    """Outcomes of splits, packed as one bit per row: whether it goes left."""

    n_rows: int
    lefts: list[int]


def _goes_left_if_missing(decision: int, threshold: float) -> bool:
    """Return whether NaN goes left, by LightGBM's decision type."""
    return bool(decision & _LEFT) if decision & _MISSING else threshold >= 0.0


def _group_rows(rows: Floats) -> list[Integers]:
    """Group equal rows (n, D); return row numbers, (k,) each, with groups of a branch adjacent."""
    order = np.lexsort(rows.T[::-1])
    return np.array_split(order, -(-len(rows) // _MAX_BATCH))


def _to_matrix(sets: Sequence[int], count: int) -> Floats:
    """Return each set's membership of ``count`` rows as 0 or 1, shape (len(sets), count)."""
    step = -(-count // 8)
    packed = np.frombuffer(b"".join(each.to_bytes(step, "little") for each in sets), dtype=np.uint8)
    membership = np.unpackbits(packed.reshape(-1, step), axis=1, count=count, bitorder="little")
    return membership.astype(float)
