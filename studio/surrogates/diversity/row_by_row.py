"""Row-by-row diversity surrogates, for comparison (DivBO figure 2), and their rank quality."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from studio.arrays import Floats
from studio.parts import option
from studio.surrogates.diversity.base import BoostedDiversity, DiversitySurrogate, Model, RowByRow


@dataclass(frozen=True)
class ForestDiversity(DiversitySurrogate):
    """Forest whose trees are the models: mean and variance are over trees, as in SMAC's forest."""

    key = "random-forest"
    title = "Random forest"
    summary = (
        "Many trees, each grown on a different sample of the pairs, estimate the diversity of "
        "two trials. Slower than LightGBM and, in DivBO's comparison, less accurate."
    )
    reference = "DivBO 4.2, figure 2; Hutter et al. 2011 (SMAC)"

    trees: int = option(
        10,
        low=1,
        high=1000,
        help="Number of trees; the spread of their predictions is the uncertainty.",
    )

    def train(self, X: Floats, y: Floats, rng: np.random.Generator) -> Sequence[Model]:
        """Grow the trees on X (n, 2D), y (n,): 5/6 of the columns per split, leaves of 3."""
        from sklearn.ensemble import RandomForestRegressor

        forest = RandomForestRegressor(
            n_estimators=self.trees,
            max_features=5 / 6,
            min_samples_leaf=3,
            random_state=int(rng.integers(2**31 - 1)),
            n_jobs=1,
        ).fit(X, y)
        return [RowByRow(tree.predict) for tree in forest.estimators_]


TRAINING_SHARE = 0.8
"""Share of the trials for training; the others are for testing."""


def compute_rank_agreement(surrogate: DiversitySurrogate, U: Floats, diversity: Floats) -> float:
    """Return Kendall's tau in [-1, 1] of predicted and true diversity; NaN for few trials.

    The surrogate is fitted to the first :data:`TRAINING_SHARE` of the trials and tested on all
    pairs of a later trial and one of these.

    Args:
        U: Shape (k, D). The successful trials as unit rows, in the order in which they finished.
        diversity: Shape (k, k). Their true diversities.
    """
    from scipy.stats import kendalltau

    n_training = int(TRAINING_SHARE * len(diversity))
    if n_training < 2 or len(diversity) - n_training < 2:
        return float("nan")
    rng = np.random.default_rng(0)
    posterior = surrogate.fit(U[:n_training], diversity[:n_training, :n_training], rng)
    mean, _ = posterior.predict(U[n_training:], U[:n_training])
    return float(kendalltau(mean.ravel(), diversity[n_training:, :n_training].ravel()).statistic)


@dataclass(frozen=True)
class HistGradientBoostingDiversity(BoostedDiversity):
    """Histogram gradient boosting with the settings of the LightGBM surrogate.

    It replaces DivBO's XGBoost. Columns are redrawn at every split, not for every tree.
    """

    key = "boosted"
    title = "Gradient boosting"
    summary = (
        "Several scikit-learn boosted tree models learn the diversity of two trials. Takes the "
        "place of XGBoost in the comparison of diversity surrogates."
    )
    reference = "DivBO 4.2, figure 2; Chen & Guestrin 2016"

    def train(self, X: Floats, y: Floats, rng: np.random.Generator) -> Sequence[Model]:
        """Train the models on X (n, 2D) and y (n,), one after another on one thread."""
        from sklearn.ensemble import HistGradientBoostingRegressor
        from threadpoolctl import threadpool_limits

        # Columns without any value cannot be binned; as constants they are never split on.
        X = np.where(np.isnan(X).all(axis=0), 0.0, X)
        models: list[Model] = []
        # A single thread, as floating-point sums depend on the number of threads.
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
                models.append(RowByRow(model.fit(X, y).predict))
        return models
