"""The Laplace kernel."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from studio.arrays import Floats
from studio.surrogates.kernels.distance import DistanceKernel


@dataclass(frozen=True)
class Laplace(DistanceKernel):
    """k = exp(-sum_d |x_d - x'_d| / l_d): thesis eq. 5.15 with a length scale a dimension.

    The Matérn kernel of smoothness 1/2 in the weighted 1-norm, and the limit of the Mondrian
    kernel. It has a kink where x_d = x'_d; there the slope by x_d is taken as 0, the middle of
    the subgradients [-1/l_d, 1/l_d].
    """

    power: ClassVar[int] = 1
    factor: ClassVar[float] = -1.0

    key: ClassVar[str] = "laplace"
    title: ClassVar[str] = "Laplace"
    summary: ClassVar[str] = (
        "Assumes that the objective is rough, as a random forest would see it. Good where small "
        "changes of a setting may matter."
    )
    reference: ClassVar[str] = "thesis 5.4.2, eq. 5.15"

    def correlation(self, r: Floats, scratch: Floats) -> Floats:
        """Overwrite ``r``, any shape, minus the weighted 1-norm, with the correlation."""
        del scratch
        return np.exp(r, out=r)

    def slope(self, r: Floats) -> Floats:
        """Return the derivative, which is the correlation itself, same shape as ``r``."""
        derivative: Floats = np.exp(r)
        return derivative
