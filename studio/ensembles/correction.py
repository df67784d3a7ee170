"""A second layer: small trees that correct the mean probabilities of an ensemble.

With the probabilities p of a row (the members' mean at its temperature), the trees give

    q = softmax(ln(p + ε) + Σ_r f_r(x)),

where x are ln(1 + ·/ε) of p and of each member's probabilities, and f_r are random regression trees
with a value per class, boosted for the log loss from p on (Friedman 2001, with Newton steps). The
ensemble predicts (1 − s) p + s q. Everything is learned from out-of-fold predictions, and each fold
of these rows has separate trees fitted to the other folds. Hence q and the share s are evaluated on
rows unseen by the trees, and s is 0 unless the log loss falls by more than chance. Measurements are
in docs/decisions/0064-second-layer-of-trees.md.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

import numpy as np

from studio.arrays import AnyArray, Floats, Integers
from studio.ensembles.calibration import EPSILON
from studio.phrases import phrase

MAX_FOLDS = 5
"""Maximum number of folds with separate trees."""

_TREES = 100
_LEARNING_RATE = 0.05
_DEPTH = 4
_LEAF_ROWS = 20
_FEATURE_SHARE = 0.25
_PENALTY = 5.0
"""L2 penalty, added to the sum of second derivatives in a leaf."""

_SHARES = tuple(step / 10 for step in range(1, 11))
_MIN_STANDARD_ERRORS = 2.0
"""Minimum mean gain in log loss, in standard errors over rows."""

_MIN_LEAVES = 5
"""Minimum number of a fold's training rows for fitting trees, in leaves."""


_SECONDS_PER_TREE, _SECONDS_PER_CELL = 0.6e-3, 1.3e-8


def estimate_seconds(n_rows: int, n_members: int, n_classes: int) -> float:
    """Return the approximate seconds of :func:`fit_correction`."""
    cells = n_rows * (n_members + 1) * n_classes
    return MAX_FOLDS * _TREES * (_SECONDS_PER_TREE + _SECONDS_PER_CELL * cells)


@dataclass(frozen=True)
class Correction:
    """Fitted trees and their share; equal if both were fitted to the same predictions.

    Attributes:
        share: s, in (0, 1].
        members: The ensemble's members, in the order of the features.
        forest: A fitted ``sklearn.ensemble.ExtraTreesRegressor`` of equally many trees of each
            fold, fold by fold, which predicts the mean over folds of Σ_r f_r, (n, C).
        folds: Shape (n,). Fold, from 0, of each row used in fitting.
        digests: Digests of each member's predictions of these rows (:func:`compute_digest`).
    """

    share: float
    members: tuple[int, ...]
    forest: Any = field(compare=False)
    folds: Integers = field(compare=False)
    digests: tuple[str, ...]

    def apply(self, mean: Floats, predictions: Mapping[int, AnyArray]) -> Floats:
        """Return the ensemble's probabilities, (n, C).

        Rows to which the trees were fitted are corrected by those fitted to other folds.

        Args:
            mean: Shape (n, C). p of the available members.
            predictions: The members' predictions, (n, C) each, by trial number; p replaces those of
                absent members.
        """
        features = _make_features(mean, [predictions.get(each, mean) for each in self.members])
        if self._are_fitted_rows(predictions):
            corrected = self._correct_by_fold(mean, features)
        else:
            corrected = _add_scores(mean, self.forest.predict(features))
        return (1.0 - self.share) * mean + self.share * corrected

    def _are_fitted_rows(self, predictions: Mapping[int, AnyArray]) -> bool:
        for member, digest in zip(self.members, self.digests, strict=True):
            if member in predictions:
                return compute_digest(predictions[member]) == digest
        return False

    def _correct_by_fold(self, mean: Floats, features: Floats) -> Floats:
        n_folds = int(self.folds.max()) + 1
        scores, rows = np.zeros(mean.shape), features.astype(np.float32)
        trees: Sequence[Any] = self.forest.estimators_
        n_trees = len(trees) // n_folds
        for fold in range(n_folds):
            unseen = self.folds == fold
            for tree in trees[fold * n_trees : (fold + 1) * n_trees]:
                scores[unseen] += tree.predict(rows[unseen], check_input=False)
        return _add_scores(mean, scores / n_trees)


def fit_correction(
    mean: Floats,
    predictions: Mapping[int, AnyArray],
    truth: Integers,
    folds: Integers,
    seed: int,
    *,
    share: float = 0.0,
    stopped: Callable[[], bool] = lambda: False,
) -> Correction | None:
    """Fit trees to out-of-fold predictions.

    Args:
        mean, predictions: See :meth:`Correction.apply`, for all members, in order.
        truth: Shape (n,). True class codes.
        folds: Shape (n,). At least two folds 0, 1, …, each with rows.
        seed: Random seed of the trees.
        share: A share chosen earlier; 0: choose it.
        stopped: Polled after each tree.

    Returns:
        ``None`` if there is no gain beyond chance, rows are few, or ``stopped`` returned true.
    """
    n_folds = int(folds.max()) + 1
    features = _make_features(mean, list(predictions.values()))
    if len(folds) - np.bincount(folds).max() < _MIN_LEAVES * _LEAF_ROWS:
        return None
    corrected, trees = np.empty(mean.shape), []
    rng = np.random.default_rng(seed)
    for fold in range(n_folds):
        unseen = folds == fold
        boosting = _Boosting(features, mean, truth, unseen)
        for _ in range(_TREES):
            boosting.add_tree(int(rng.integers(2**31)))
            if stopped():
                return None
        corrected[unseen] = _add_scores(mean[unseen], boosting.unseen_scores)
        trees += boosting.trees
    share = share or choose_share(mean, corrected, truth)
    if not share:
        return None
    digests = tuple(map(compute_digest, predictions.values()))
    return Correction(share, tuple(predictions), _make_forest(trees), folds, digests)


def choose_share(mean: Floats, corrected: Floats, truth: Integers) -> float:
    """Return the share with the lowest log loss; 0 if its gain may be chance.

    Args:
        mean, corrected: Shape (n, C). p, and q from trees not fitted to the row.
        truth: Shape (n,). True class codes.
    """
    rows = np.arange(len(truth))
    p, q = mean[rows, truth] + EPSILON, corrected[rows, truth] + EPSILON
    gains = [np.log((1.0 - share) * p + share * q) - np.log(p) for share in _SHARES]
    best = max(range(len(gains)), key=lambda index: float(gains[index].mean()))
    standard_error = float(gains[best].std(ddof=1)) / len(rows) ** 0.5
    is_gain = float(gains[best].mean()) > _MIN_STANDARD_ERRORS * standard_error
    return _SHARES[best] if is_gain else 0.0


def compute_digest(predictions: AnyArray) -> str:
    """Return a digest of predictions, (n, C)."""
    rows = np.ascontiguousarray(predictions, dtype=np.float32)
    return blake2b(rows.tobytes(), digest_size=16).hexdigest()


def describe_correction(share: float) -> str:
    """Describe the effect of a correction in a sentence; empty for 0."""
    if not share:
        return ""
    return phrase(
        "A second layer of small trees, learned from the validation rows, corrects the mean of "
        "the members."
    )


class _Boosting:
    """Boosting from the mean on the rows outside a fold, with the sums for the fold's rows."""

    def __init__(self, features: Floats, mean: Floats, truth: Integers, unseen: AnyArray) -> None:
        rows = features.astype(np.float32)
        self._rows, self._unseen_rows = rows[~unseen], rows[unseen]
        self._mean = mean[~unseen]
        self._is_class = np.eye(mean.shape[1])[truth[~unseen]]
        self._scores = np.zeros(self._mean.shape)
        self.unseen_scores = np.zeros((len(self._unseen_rows), mean.shape[1]))
        self.trees: list[Any] = []

    def add_tree(self, seed: int) -> None:
        """Fit the next tree to the residuals, and set its leaf values by Newton steps."""
        from sklearn.tree import ExtraTreeRegressor

        shares = _add_scores(self._mean, self._scores)
        slopes, curvatures = self._is_class - shares, shares * (1.0 - shares)
        tree = ExtraTreeRegressor(
            max_depth=_DEPTH,
            min_samples_leaf=_LEAF_ROWS,
            max_features=_FEATURE_SHARE,
            random_state=seed,
        ).fit(self._rows, slopes, check_input=False)
        leaves, values = tree.apply(self._rows, check_input=False), tree.tree_.value
        for code in range(slopes.shape[1]):
            slope, curvature = (
                np.bincount(leaves, each[:, code], len(values)) for each in (slopes, curvatures)
            )
            values[:, code, 0] = _LEARNING_RATE * slope / (curvature + _PENALTY)
        self._scores += values[leaves, :, 0]
        self.unseen_scores += tree.predict(self._unseen_rows, check_input=False)
        self.trees.append(tree)


def _make_features(mean: Floats, predictions: Sequence[AnyArray]) -> Floats:
    """Return ln(1 + ·/ε) of the mean and of m members, (n, C) each, in shape (n, (m + 1) C)."""
    probabilities = [mean, *(each.astype(np.float64) for each in predictions)]
    features: Floats = np.log1p(np.hstack(probabilities) / EPSILON)
    return features


def _make_forest(trees: Sequence[Any]) -> Any:
    """Return the trees of all folds as one regressor, which averages the folds' sums."""
    from sklearn.ensemble import ExtraTreesRegressor

    for tree in trees:
        tree.tree_.value[...] *= _TREES
    forest = ExtraTreesRegressor(len(trees))
    forest.estimators_, forest.n_outputs_ = list(trees), trees[0].n_outputs_
    forest.n_features_in_ = trees[0].n_features_in_
    return forest


def _add_scores(mean: Floats, scores: Floats) -> Floats:
    """Return softmax(ln(p + ε) + scores), (n, C)."""
    shares: Floats = (mean + EPSILON) * np.exp(scores - scores.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    return shares
