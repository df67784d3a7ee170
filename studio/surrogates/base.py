"""Interface of surrogates."""

from abc import ABC, abstractmethod
from typing import Literal, NamedTuple

import numpy as np

from studio.arrays import Floats
from studio.errors import SurrogateError
from studio.parts import Part
from studio.space.space import Space


class PredictionGradients(NamedTuple):
    """Predictions with their gradients with respect to the unit coordinates of the queried rows.

    Attributes:
        mean, variance: Shape (S, q).
        d_mean, d_variance: Shape (S, q, D).
    """

    mean: Floats
    variance: Floats
    d_mean: Floats
    d_variance: Floats


class Posterior(ABC):
    """A surrogate's posterior given its trials.

    It holds S models (one per hyperparameter sample, or per fantasy of the pending trials); an
    acquisition is averaged over them (thesis eq. 2.17).
    """

    @property
    def model_kind(self) -> Literal["draws", "trees"]:
        """The models of :meth:`predict_by_model`: hyperparameter samples, or a forest's trees."""
        return "draws"

    @property
    def covers_whole_space(self) -> bool:
        """Whether it covers all branches of the space."""
        return True

    @property
    @abstractmethod
    def best(self) -> Floats:
        """f_best of each model, shape (S,): the lowest observed target, fantasies included.

        Without any observation it is the prior mean.
        """

    @abstractmethod
    def predict(self, V: Floats) -> tuple[Floats, Floats]:
        """Return the mean and variance of the objective (without observation noise).

        Args:
            V: Shape (q, D). Unit rows, NaN where inactive.

        Returns:
            means, variances: Shape (S, q). In units of the targets, and their square; variances are
                positive.
        """

    def predict_means(self, V: Floats) -> Floats:
        """Return only the means of :meth:`predict`, shape (S, q), which may be cheaper."""
        return self.predict(V)[0]

    def predict_by_model(self, V: Floats) -> Floats:
        """Return the mean predicted for V by each single model, shape (models, q).

        The models of a Gaussian process are its hyperparameter samples (thesis 2.4; with pending
        trials, one per fantasy), those of a forest are its trees.
        """
        return self.predict_means(V)

    def predict_mixture(self, V: Floats) -> tuple[Floats, Floats]:
        """Return mean and standard deviation for V of the mixture of all models, shape (q,) each.

        The variance of a mixture is the mean of the variances plus the variance of the means.
        """
        mean, variance = self.predict(V)
        return np.asarray(mean.mean(axis=0)), np.sqrt(variance.mean(axis=0) + mean.var(axis=0))

    @abstractmethod
    def predict_with_gradients(self, V: Floats) -> PredictionGradients:
        """Return predictions for V, (q, D), and gradients; raise SurrogateError if it has none."""

    @abstractmethod
    def condition_on(self, V: Floats, rng: np.random.Generator) -> "Posterior":
        """Return the posterior with fantasies of the outcomes of pending trials (Snoek 2012).

        Args:
            V: Shape (p, D). The pending trials' unit rows, NaN where inactive; p may be 0.
            rng: Draws the outcomes, jointly for all p rows, from each model's prediction.
        """


class Surrogate(Part, ABC):
    """Predicts the loss of a configuration, with its uncertainty, from observed trials."""

    @abstractmethod
    def fit(self, space: Space, U: Floats, targets: Floats, rng: np.random.Generator) -> Posterior:
        """Fit to observed configurations.

        Args:
            U: Shape (n, D). Unit rows of the observed configurations, NaN where inactive; n may be
                0.
            targets: Shape (n,). Finite objective values, lower is better.
            rng: The same state gives the same posterior.

        Raises:
            SurrogateError: If shapes disagree or a target is not finite.
        """


def check_observations(space: Space, U: Floats, targets: Floats) -> None:
    """Raise SurrogateError if shapes disagree or a target is not finite."""
    if U.shape != (len(targets), space.dimensions):
        raise SurrogateError(
            "A surrogate needs one row of {dimensions} coordinates for each of the "
            "{n_targets} targets; an array of shape {shape} was given.",
            dimensions=space.dimensions,
            n_targets=len(targets),
            shape=U.shape,
        )
    if not np.isfinite(targets).all():
        raise SurrogateError(
            "A surrogate needs finite targets; give failed trials the worst finite loss."
        )


def standardise(targets: Floats) -> tuple[float, float, Floats]:
    """Return shift, scale (1 for equal targets), and (targets - shift) / scale, shape (n,)."""
    shift = float(targets.mean()) if len(targets) else 0.0
    spread = float(targets.std()) if len(targets) else 0.0
    # Equal targets differ at most by rounding; dividing by that would amplify noise.
    if spread > 1e-12 * max(1.0, abs(shift)):
        return shift, spread, (targets - shift) / spread
    return shift, 1.0, np.zeros(len(targets))
