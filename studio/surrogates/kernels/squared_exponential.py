"""The squared exponential kernel."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from studio.arrays import Floats
from studio.surrogates.kernels.distance import DistanceKernel


@dataclass(frozen=True)
class SquaredExponential(DistanceKernel):
    """k = exp(-1/2 sum_d (x_d - x'_d)^2 / l_d^2): thesis eq. 2.15 with its minus sign."""

    factor: ClassVar[float] = -0.5

    key: ClassVar[str] = "se"
    title: ClassVar[str] = "Squared exponential"
    summary: ClassVar[str] = (
        "Assumes that the objective is perfectly smooth. Good for slow, wavy landscapes."
    )
    reference: ClassVar[str] = "thesis eq. 2.15 (printed without its minus sign)"

    def correlation(self, r: Floats, scratch: Floats) -> Floats:
        """Overwrite ``r``, any shape, minus half the squared distance, with the correlation."""
        del scratch
        return np.exp(r, out=r)

    def slope(self, r: Floats) -> Floats:
        """Return the derivative, which is the correlation itself, same shape as ``r``."""
        derivative: Floats = np.exp(r)
        return derivative
