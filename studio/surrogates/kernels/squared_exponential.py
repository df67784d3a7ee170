"""The squared exponential kernel."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from studio.arrays import Floats
from studio.surrogates.kernels.distance import DistanceKernel


@dataclass(frozen=True)
class SquaredExponential(DistanceKernel):
    """k = exp(-1/2 sum_d (x_d - x'_d)^2 / l_d^2): thesis eq. 2.15 with its minus sign."""

    key: ClassVar[str] = "se"
    title: ClassVar[str] = "Squared exponential"
    summary: ClassVar[str] = (
        "Takes the objective as perfectly smooth. Good for slow, wavy landscapes."
    )
    reference: ClassVar[str] = "thesis eq. 2.15 (printed without its minus sign)"

    def correlation(self, r: Floats, scratch: Floats) -> Floats:
        """Overwrite the squared distance ``r`` with the correlation."""
        np.multiply(r, -0.5, out=scratch)
        return np.exp(scratch, out=r)

    def slope(self, r: Floats) -> Floats:
        """Return the derivative in the squared distance: -1/2 exp(-r/2)."""
        derivative: Floats = -0.5 * np.exp(-0.5 * r)
        return derivative
