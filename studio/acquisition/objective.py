"""The acquisition as a function of unit rows: what the maximisers maximise."""

from dataclasses import dataclass

import numpy as np

from studio.acquisition.criteria.base import Criterion
from studio.arrays import Floats
from studio.surrogates.base import Posterior


@dataclass(frozen=True)
class Acquisition:
    """A criterion averaged over a posterior's models (thesis eq. 2.17).

    Attributes:
        posterior: What the surrogate believes, fantasies of pending trials included.
        criterion: What is worth trying.
    """

    posterior: Posterior
    criterion: Criterion

    def __call__(self, U: Floats) -> Floats:
        """Return the value of each unit row (NaN where inactive), shape (n,)."""
        mean, variance = self.posterior.predict(U)
        return self.criterion.average(
            self.criterion.value(mean, variance, self.posterior.best[:, None])
        )

    def gradient(self, U: Floats) -> tuple[Floats, Floats]:
        """Return the values, shape (n,), and their gradients in the rows, shape (n, D).

        Raises:
            SurrogateError: If the surrogate has no gradients.
        """
        best = self.posterior.best[:, None]
        mean, variance, d_mean, d_variance = self.posterior.slopes(U)
        values = self.criterion.value(mean, variance, best)
        by_mean, by_variance = self.criterion.slopes(mean, variance, best)
        shares = self.criterion.shares(values)
        gradient: Floats = np.einsum("sn,snd->nd", shares * by_mean, d_mean) + np.einsum(
            "sn,snd->nd", shares * by_variance, d_variance
        )
        return self.criterion.average(values), gradient
