"""How well a diversity surrogate orders pairs that it has not seen (DivBO figure 2)."""

import numpy as np

from studio.arrays import Floats
from studio.surrogates.diversity.base import DiversitySurrogate

LEARNT = 0.8
"""Share of the trials that the surrogate learns from; it is judged on the others."""


def rank_agreement(surrogate: DiversitySurrogate, U: Floats, diversity: Floats) -> float:
    """Return Kendall's tau of predicted and true diversity; NaN with too few trials.

    Fitted to the first :data:`LEARNT` of the trials; judged on all pairs of a trial after them and
    one of them.

    Args:
        surrogate: What is judged.
        U: Shape (k, D). The successful trials as unit rows, in the order in which they finished.
        diversity: Shape (k, k). Their true diversities.

    Returns:
        In [-1, 1]: 1 for the same order, 0 for none.
    """
    from scipy.stats import kendalltau

    learnt = int(LEARNT * len(diversity))
    if learnt < 2 or len(diversity) - learnt < 2:
        return float("nan")
    rng = np.random.default_rng(0)
    posterior = surrogate.fit(U[:learnt], diversity[:learnt, :learnt], rng)
    mean, _ = posterior.predict(U[learnt:], U[:learnt])
    return float(kendalltau(mean.ravel(), diversity[learnt:, :learnt].ravel()).statistic)
