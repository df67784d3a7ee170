"""The Matérn-5/2 kernel."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from studio.arrays import Floats
from studio.surrogates.kernels.distance import DistanceKernel

_ROOT_3 = math.sqrt(3.0)


@dataclass(frozen=True)
class Matern(DistanceKernel):
    """k = (1 + s + s^2/3) exp(-s), s = sqrt(5 sum_d (x_d - x'_d)^2 / l_d^2).

    Rasmussen & Williams 2006, eq. 4.17, with a length scale a dimension; Snoek et al. 2012.
    """

    factor: ClassVar[float] = 5.0 / 3.0

    key: ClassVar[str] = "matern"
    title: ClassVar[str] = "Matérn 5/2"
    summary: ClassVar[str] = (
        "Assumes that the objective is smooth, but not perfectly so. The usual choice for tuning."
    )
    reference: ClassVar[str] = "Snoek et al. 2012; Rasmussen & Williams 2006, eq. 4.17; SMBEO 2"

    def correlation(self, r: Floats, scratch: Floats) -> Floats:
        """Overwrite r = s^2/3, any shape, with the correlation."""
        # Every pass counts here: this is the innermost loop of the whole suggestion.
        np.sqrt(r, out=scratch)
        np.multiply(scratch, -_ROOT_3, out=scratch)
        np.subtract(r, scratch, out=r)
        np.add(r, 1.0, out=r)
        np.exp(scratch, out=scratch)
        return np.multiply(r, scratch, out=r)

    def slope(self, r: Floats) -> Floats:
        """Return the derivative in r = s^2/3, same shape: -1/2 (1 + s) exp(-s)."""
        s = _ROOT_3 * np.sqrt(r)
        derivative: Floats = -0.5 * (1.0 + s) * np.exp(-s)
        return derivative
