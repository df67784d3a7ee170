"""What every surrogate takes and gives."""

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np

from studio.arrays import Floats
from studio.parts import Part
from studio.space.space import Space


class Slopes(NamedTuple):
    """Predictions with their gradients in the unit coordinates of the queried rows.

    Attributes
    ----------
    mean, variance : array, shape (S, q)
    d_mean, d_variance : array, shape (S, q, D)
    """

    mean: Floats
    variance: Floats
    d_mean: Floats
    d_variance: Floats


class Posterior(ABC):
    """What a surrogate believes after the trials it was fitted to.

    It holds S models (one a hyperparameter sample, or a fantasy of what pending trials will give);
    an acquisition is averaged over them (thesis eq. 2.17).
    """

    @property
    @abstractmethod
    def best(self) -> Floats:
        """f_best of each model, shape (S,): the lowest observed target, fantasies included.

        Without any observation it is the prior mean.
        """

    @abstractmethod
    def predict(self, V: Floats) -> tuple[Floats, Floats]:
        """Return the mean and variance of the objective (without observation noise).

        Parameters
        ----------
        V : array, shape (q, D)
            Unit rows, NaN where inactive.

        Returns
        -------
        means, variances : arrays, shape (S, q)
            In units of the targets, and their square; variances are positive.
        """

    @abstractmethod
    def slopes(self, V: Floats) -> Slopes:
        """Return the predictions for V, shape (q, D), and their gradients in V.

        Raises
        ------
        SurrogateError
            If the surrogate has no gradients.
        """

    @abstractmethod
    def condition_on(self, V: Floats, rng: np.random.Generator) -> "Posterior":
        """Return the posterior with fantasies of the outcomes of pending trials (METHODS 3).

        Parameters
        ----------
        V : array, shape (p, D)
            The pending trials' unit rows, NaN where inactive; p may be 0.
        rng : Generator
            Draws the outcomes, jointly for all p rows, from what each model predicts.
        """


class Surrogate(Part, ABC):
    """Base of all surrogates."""

    @abstractmethod
    def fit(self, space: Space, U: Floats, targets: Floats, rng: np.random.Generator) -> Posterior:
        """Fit to observed configurations.

        Parameters
        ----------
        space : Space
            The search space.
        U : array, shape (n, D)
            Unit rows of the observed configurations, NaN where inactive; n may be 0.
        targets : array, shape (n,)
            Finite objective values, lower is better.
        rng : Generator
            The source of all randomness: the same generator state gives the same posterior.

        Raises
        ------
        SurrogateError
            If shapes disagree or a target is not finite.
        """
