"""Squared error of the averaged prediction, for regression."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from studio.arrays import Floats
from studio.data.metrics.weighting import mean
from studio.ensembles.losses.base import ValueLoss


@dataclass(frozen=True)
class SquaredError(ValueLoss):
    """Mean squared error of the members' mean prediction (EO-mse)."""

    key: ClassVar[str] = "mse"
    title: ClassVar[str] = "Squared error"
    summary: ClassVar[str] = (
        "The squared error of the members' mean prediction. "
        "Takes the place of the vote's losses when numbers are predicted."
    )
    reference: ClassVar[str] = "ours: the counterpart of EO eq. 9 for regression"

    def formula(self) -> str:
        """Return the square of the residual."""
        return "(r / s)²"

    def of_residuals(self, residuals: Floats, weights: Floats | None = None) -> float:
        """Return the mean square of residuals, shape (n,)."""
        return mean(np.square(residuals, out=residuals), weights)
