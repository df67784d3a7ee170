"""The Matérn-5/2 kernel."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from studio.arrays import Floats
from studio.surrogates.kernels.distance import DistanceKernel


@dataclass(frozen=True)
class Matern(DistanceKernel):
    """k = (1 + s + s^2/3) exp(-s), s = sqrt(5 sum_d (x_d - x'_d)^2 / l_d^2).

    Rasmussen & Williams 2006, eq. 4.17, with a length scale a dimension; Snoek et al. 2012.
    """

    key: ClassVar[str] = "matern"
    title: ClassVar[str] = "Matérn 5/2"
    summary: ClassVar[str] = (
        "Takes the objective as smooth, but not perfectly so. The usual choice for tuning."
    )
    reference: ClassVar[str] = "Snoek et al. 2012; Rasmussen & Williams 2006, eq. 4.17; SMBEO 2"

    def correlation(self, r: Floats, scratch: Floats) -> Floats:
        """Overwrite the squared distance ``r`` with the correlation."""
        # Every pass counts here: this is the innermost loop of the whole suggestion.
        np.multiply(r, 5.0, out=r)
        np.sqrt(r, out=scratch)
        np.multiply(r, 1.0 / 3.0, out=r)
        np.add(r, scratch, out=r)
        np.add(r, 1.0, out=r)
        np.negative(scratch, out=scratch)
        np.exp(scratch, out=scratch)
        return np.multiply(r, scratch, out=r)

    def slope(self, r: Floats) -> Floats:
        """Return the derivative in the squared distance: -5/6 (1 + s) exp(-s)."""
        s = np.sqrt(5.0 * r)
        derivative: Floats = (-5.0 / 6.0) * (1.0 + s) * np.exp(-s)
        return derivative
