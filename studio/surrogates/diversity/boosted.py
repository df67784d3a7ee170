"""scikit-learn's boosting as diversity surrogate, for comparison (DivBO figure 2: XGB)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from studio.arrays import Floats
from studio.parts import option
from studio.surrogates.diversity.base import DiversitySurrogate, Model, RowByRow


@dataclass(frozen=True)
class Boosted(DiversitySurrogate):
    """Histogram gradient boosting with the settings of the LightGBM surrogate.

    It takes the place of DivBO's XGBoost. Columns are redrawn at every split, not for every tree.
    """

    key: ClassVar[str] = "boosted"
    title: ClassVar[str] = "Gradient boosting"
    summary: ClassVar[str] = (
        "Several boosted tree models of scikit-learn learn how differently two trials predict. "
        "Takes the place of XGBoost in the comparison of diversity surrogates."
    )
    reference: ClassVar[str] = "DivBO 4.2, figure 2; Chen & Guestrin 2016"

    models: int = option(5, low=1, high=100, help="Models, whose spread is the uncertainty.")
    trees: int = option(100, low=1, high=10_000, help="Trees of each model.")
    leaves: int = option(63, low=2, high=1024, help="Maximum number of leaves of a tree.")
    rate: float = option(0.2, low=1e-3, high=1.0, help="Share of a tree's correction that counts.")

    def train(self, X: Floats, y: Floats, rng: np.random.Generator) -> Sequence[Model]:
        """Train the models on X (n, 2D) and y (n,), one after another on one thread."""
        from sklearn.ensemble import HistGradientBoostingRegressor
        from threadpoolctl import threadpool_limits

        # Columns without any value cannot be binned; as constants they are never split either.
        X = np.where(np.isnan(X).all(axis=0), 0.0, X)
        made: list[Model] = []
        # Sums of floating numbers depend on how many threads share them.
        with threadpool_limits(limits=1):
            for seed in rng.integers(2**31 - 1, size=self.models).tolist():
                model = HistGradientBoostingRegressor(
                    max_iter=self.trees,
                    learning_rate=self.rate,
                    max_leaf_nodes=self.leaves,
                    max_features=5 / 6,
                    min_samples_leaf=3,
                    early_stopping=False,
                    random_state=seed,
                )
                made.append(RowByRow(model.fit(X, y).predict))
        return made
