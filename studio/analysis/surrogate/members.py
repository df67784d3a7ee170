"""The single models of a surrogate's posterior: draws of a process, or trees of a forest."""

import numpy as np

from studio.arrays import Floats
from studio.proposers.arms import Lifted
from studio.surrogates.base import Posterior
from studio.surrogates.forest_posterior import ForestPosterior

CURVES, TREES = "draws", "trees"
"""What the models are."""


def means(posterior: Posterior, V: Floats) -> Floats:
    """Return the mean that each model predicts at unit rows (q, D), shape (models, q).

    The models of a Gaussian process are its hyperparameter samples (thesis 2.4; with pending
    trials, one a fantasy), those of a forest its trees.
    """
    if isinstance(posterior, Lifted):
        return means(posterior.inner, V[:, posterior.columns])
    if isinstance(posterior, ForestPosterior):
        X = posterior.complete(V)
        trees = np.concatenate([forest.by_tree(X)[0] for forest in posterior.forests])
        found: Floats = posterior.shift + posterior.scale * trees
        return found
    return posterior.means(V)


def kind(posterior: Posterior) -> str:
    """Return what the models are: "draws" of hyperparameters, or "trees"."""
    inner = posterior.inner if isinstance(posterior, Lifted) else posterior
    return TREES if isinstance(inner, ForestPosterior) else CURVES


def mixture(posterior: Posterior, V: Floats) -> tuple[Floats, Floats]:
    """Return mean and standard deviation at unit rows (q, D), all models as one mixture, (q,) each.

    The variance of a mixture is the mean of the variances and the variance of the means.
    """
    mean, variance = posterior.predict(V)
    return np.asarray(mean.mean(axis=0)), np.sqrt(variance.mean(axis=0) + mean.var(axis=0))
