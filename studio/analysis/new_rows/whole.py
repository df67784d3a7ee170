"""The rows as a whole, by a model that learns to tell new ones from the others.

Changes of how columns go together are seen by no column alone. Where the rows are of one kind no
model does better than guessing on rows that it has not seen (classifier two-sample tests:
Friedman 2003, Lopez-Paz and Oquab 2017).
"""

import numpy as np

from studio.arrays import Floats
from studio.data.intervals.loss import loss_interval
from studio.data.metrics.auc import Auc

MOST_ROWS = 1_000
"""Rows of each kind that the model is shown."""

FOLDS = 5
_TREES = 25


def distinguished(old: Floats, new: Floats) -> tuple[float, float, float]:
    """Return the AUC of a model that tells new rows from others, with the ends of its interval.

    Parameters
    ----------
    old, new : array, shape (n, d) and (m, d)
        The rows, at least :data:`FOLDS` of each; NaN is missing.

    Returns
    -------
    three floats
        The area under the ROC curve of out-of-fold predictions, and its 95 % interval.
    """
    from lightgbm import Dataset, train

    rng = np.random.default_rng(0)
    sides = [
        side[rng.choice(len(side), MOST_ROWS, replace=False)] if len(side) > MOST_ROWS else side
        for side in (old, new)
    ]
    X = np.concatenate(sides)
    y = np.repeat([0, 1], [len(side) for side in sides])
    fold = np.concatenate([rng.permutation(len(side)) % FOLDS for side in sides])
    share = np.empty(len(y))
    settings = {
        "objective": "binary", "num_leaves": 8, "learning_rate": 0.2, "min_data_in_leaf": 10,
        "max_bin": 63, "feature_fraction": 0.7, "seed": 0, "num_threads": 1, "verbose": -1,
        "force_col_wise": True, "deterministic": True,
    }  # fmt: skip
    for held_out in range(FOLDS):
        learned = fold != held_out
        model = train(settings, Dataset(X[learned], y[learned]), _TREES)
        share[~learned] = np.asarray(model.predict(X[~learned], num_threads=1))
    predictions = np.column_stack([1 - share, share])
    wrong = Auc().loss(y, predictions)
    low, high = loss_interval(Auc(), y, predictions) or (0.0, 1.0)
    return 1 - wrong, 1 - high, 1 - low
