"""Lower confidence bound."""

from dataclasses import dataclass

import numpy as np

from studio.acquisition.criteria.base import Criterion
from studio.arrays import Floats
from studio.parts import option


@dataclass(frozen=True)
class LowerConfidenceBound(Criterion):
    """-(mu - kappa sigma), an optimistic bound on the loss (Srinivas et al. 2010)."""

    key = "lcb"
    title = "Lower confidence bound"
    summary = (
        "Prefers configurations with a possibly low loss. One number sets how far it explores."
    )
    reference = "Srinivas et al. 2010; thesis 2.2"

    kappa: float = option(
        2.0,
        low=0.0,
        high=100.0,
        help=("Number of standard deviations subtracted from the prediction."),
    )

    def compute_values(self, mean: Floats, variance: Floats, best: Floats) -> Floats:
        """Return kappa sigma - mu, shape (S, q)."""
        del best
        bound: Floats = self.kappa * np.sqrt(variance) - mean
        return bound

    def compute_derivatives(
        self, mean: Floats, variance: Floats, best: Floats
    ) -> tuple[Floats, Floats]:
        """Return the derivatives -1 and kappa / (2 sigma), shape (S, q) each."""
        del best
        return np.full(mean.shape, -1.0), self.kappa / (2.0 * np.sqrt(variance))
