"""The Poisson-binomial test over several data sets (Lacoste et al. 2012).

For each data set the probability that A is truly better than B is taken from the test rows; the
number of data sets that A truly wins then is Poisson-binomial, and a uniform prior on A's win rate
turns it into the probability that A wins more than half of all such data sets.
"""

from collections.abc import Sequence

import numpy as np


def better_on_labels(wrong_alone: float, right_alone: float) -> float:
    """Return the probability that a classifier is truly better than another, from shared rows.

    ``I_½(1 + k_h, 1 + k_g)``; rows on which both are right, or both wrong, say nothing.

    Args:
        wrong_alone: k_h: rows that this one has wrong and the other has right (a mean over
            repetitions need not be a whole number).
        right_alone: k_g: rows that only this one has right.
    """
    from scipy.special import betainc

    return float(betainc(1 + wrong_alone, 1 + right_alone, 0.5))


def better_on_values(mean_difference: float, standard_error: float) -> float:
    """Return the probability that the mean paired loss difference is below zero.

    The paper has no rule for regression. Ours: the mean over the test rows of (my loss − the
    other's) is taken as normal, Φ(−mean / standard error); no difference at all gives ½.

    Args:
        mean_difference: Negative where this one is better.
        standard_error: Of that mean, at least 0.
    """
    from scipy.special import ndtr

    if standard_error == 0:
        return 0.5 if mean_difference == 0 else float(mean_difference < 0)
    return float(ndtr(-mean_difference / standard_error))


def better_overall(probabilities: Sequence[float]) -> float:
    """Return the probability that the win rate over such data sets is above one half.

    ``Σ_κ P(κ) · I_½(N − κ + 1, κ + 1)``; ½ for no data set at all.

    Args:
        probabilities: For each data set, that A is truly better there.
    """
    if not probabilities:
        return 0.5
    from scipy.special import betainc
    from scipy.stats import poisson_binom

    n = len(probabilities)
    wins = np.arange(n + 1)
    distribution = poisson_binom.pmf(wins, probabilities)
    return float(distribution @ betainc(n - wins + 1, wins + 1, 0.5))
