"""The rows as a whole, by a model that learns to distinguish new ones from the others.

Changes of how columns go together are seen by no column alone. Where the rows are of one kind no
model does better than guessing on rows that it has not seen (classifier two-sample tests:
Friedman 2003, Lopez-Paz and Oquab 2017).
"""

import numpy as np

from studio.arrays import Floats
from studio.data.intervals.loss import loss_interval
from studio.data.metrics.auc import Auc

MAX_ROWS = 2_000
"""Rows of each kind that are looked at: half of them to learn from, half to judge by."""

_TREES = 30


def distinguished(old: Floats, new: Floats) -> tuple[float, float, float]:
    """Return the AUC of a model of new rows against others, with the ends of its interval.

    It learns from one half of the rows and is judged by the other. Folds, each judged by a model of
    the others, would see smaller changes, but their errors go together: tried that way, rows of one
    kind were distinguished twice as often as the interval says.

    Args:
        old, new: Shape (n, d) and (m, d). The rows, at least two of each; NaN is missing.

    Returns:
        The area under the ROC curve on the rows that were held out, and its 95 % interval.
    """
    from lightgbm import Dataset, train

    rng = np.random.default_rng(0)
    drawn = [side[rng.permutation(len(side))[:MAX_ROWS]] for side in (old, new)]
    learned, judged = (
        (
            np.concatenate([side[first::2] for side in drawn]),
            np.repeat([0, 1], [len(side[first::2]) for side in drawn]),
        )
        for first in (0, 1)
    )
    settings = {
        "objective": "binary", "num_leaves": 8, "learning_rate": 0.2, "min_data_in_leaf": 10,
        "max_bin": 63, "seed": 0, "num_threads": 1, "verbose": -1,
        "force_col_wise": True, "deterministic": True,
    }  # fmt: skip
    model = train(settings, Dataset(*learned), _TREES)
    share = np.asarray(model.predict(judged[0], num_threads=1))
    predictions = np.column_stack([1 - share, share])
    wrong = Auc().loss(judged[1], predictions)
    low, high = loss_interval(Auc(), judged[1], predictions) or (0.0, 1.0)
    return 1 - wrong, 1 - high, 1 - low
