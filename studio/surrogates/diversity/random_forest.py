"""A random forest as diversity surrogate, for comparison (DivBO figure 2: PRF)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from studio.arrays import Floats
from studio.parts import option
from studio.surrogates.diversity.base import DiversitySurrogate, Model, RowByRow


@dataclass(frozen=True)
class ForestDiversity(DiversitySurrogate):
    """Each tree is a model: mean and variance are over the trees, as in SMAC's forest."""

    key: ClassVar[str] = "random-forest"
    title: ClassVar[str] = "Random forest"
    summary: ClassVar[str] = (
        "Many trees, each grown on another sample of the pairs, predict how different two are. "
        "Slower than LightGBM and, in DivBO's comparison, less accurate."
    )
    reference: ClassVar[str] = "DivBO 4.2, figure 2; Hutter et al. 2011 (SMAC)"

    trees: int = option(10, low=1, high=1000, help="Trees, whose spread is the uncertainty.")

    def train(self, X: Floats, y: Floats, rng: np.random.Generator) -> Sequence[Model]:
        """Grow the trees on X (n, 2D), y (n,): 5/6 of the columns a split, leaves of 3."""
        from sklearn.ensemble import RandomForestRegressor

        forest = RandomForestRegressor(
            n_estimators=self.trees,
            max_features=5 / 6,
            min_samples_leaf=3,
            random_state=int(rng.integers(2**31 - 1)),
            n_jobs=1,
        ).fit(X, y)
        return [RowByRow(tree.predict) for tree in forest.estimators_]
