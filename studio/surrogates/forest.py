"""Growing forests, and what their trees say."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from studio.arrays import Floats

MIN_VARIANCE = 1e-10
"""Floor of a predicted variance of standardised targets (SMAC's and OpenBox' is 1e-10 too)."""

_SEEDS = 2**31


class Observed(NamedTuple):
    """What a forest is grown on.

    Attributes:
        X: Shape (n, E). Complete rows.
        targets: Shape (n,). Standardised.
    """

    X: Floats
    targets: Floats


@dataclass(frozen=True)
class Forest:
    """Trees as scikit-learn keeps them; none without observations.

    Attributes:
        within_leaves: Whether the variance inside the leaves counts (law of total variance).
    """

    trees: tuple[Any, ...]
    within_leaves: bool

    def by_tree(self, X: Floats) -> tuple[Floats, Floats]:
        """Return every tree's mean and variance in the leaf of each row, shape (trees, q) each.

        Without observations there is one tree, which predicts 0 and 1.
        """
        if not self.trees:
            return np.zeros((1, len(X))), np.ones((1, len(X)))
        # What scikit-learn's trees compare in; its own predict converts for each tree again.
        rows = np.ascontiguousarray(X, dtype=np.float32)
        leaves = [tree.apply(rows) for tree in self.trees]
        pairs = list(zip(self.trees, leaves, strict=True))
        means = np.array([tree.value[leaf, 0, 0] for tree, leaf in pairs])
        # The impurity of a squared error tree is the variance; rounding may leave -1e-17.
        inside = np.array([np.maximum(tree.impurity[leaf], 0.0) for tree, leaf in pairs])
        return means, inside

    def predict(self, X: Floats) -> tuple[Floats, Floats]:
        """Return mean and variance of the objective at each row, shape (q,) each."""
        means, inside = self.by_tree(X)
        variance = means.var(axis=0)
        if self.within_leaves or not self.trees:
            variance = variance + inside.mean(axis=0)
        return means.mean(axis=0), np.maximum(variance, MIN_VARIANCE)

    def draw(self, X: Floats, rng: np.random.Generator) -> Floats:
        """Draw the outcomes at all rows jointly, shape (q,): those that one tree predicts."""
        means, inside = self.by_tree(X)
        tree = int(rng.integers(len(means)))
        outcomes: Floats = means[tree]
        if self.within_leaves or not self.trees:
            outcomes = outcomes + np.sqrt(inside[tree]) * rng.standard_normal(len(X))
        return outcomes


@dataclass(frozen=True)
class Growth:
    """How forests are grown.

    Attributes:
        trees, split, leaf: How many trees; the least observations in a node that is split, and in a
            leaf.
        share: Of the coordinates looked at for a split: int(share * E), at least one (pyrfr).
        bootstrap: Whether each tree sees a resample of n observations.
        within_leaves: As for :class:`Forest`.
    """

    trees: int
    share: float
    split: int
    leaf: int
    bootstrap: bool
    within_leaves: bool

    def grown(self, observed: Observed, rng: np.random.Generator) -> Forest:
        """Grow a forest; only its seed is drawn from ``rng``."""
        seed = int(rng.integers(_SEEDS))
        if not len(observed.targets):
            return Forest((), self.within_leaves)
        # scikit-learn takes a while to import, and the other surrogates do without it.
        from sklearn.ensemble import RandomForestRegressor

        forest = RandomForestRegressor(
            n_estimators=self.trees,
            max_features=max(1, int(self.share * observed.X.shape[1])),
            min_samples_split=self.split,
            min_samples_leaf=self.leaf,
            bootstrap=self.bootstrap,
            random_state=seed,
            n_jobs=1,
        )
        forest.fit(observed.X, observed.targets)
        return Forest(tuple(tree.tree_ for tree in forest.estimators_), self.within_leaves)
