"""A sigmoid as smooth approximation of the vote's error."""

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import ClassVar

import numpy as np
from scipy.optimize import brentq, minimize_scalar
from scipy.special import expit

from studio.arrays import Floats, Integers
from studio.ensembles.losses.base import VoteLoss, dyadic
from studio.parts import option

SMALLEST_STEP = 1e-3
"""ε of thesis 4.3.3: the least difference that one vote makes to a row's loss."""

SMALLEST_SIZE = 3
"""Ensembles of fewer members use the slope of three: for them there is no larger solution."""


@lru_cache(maxsize=256)
def slope(size: int) -> float:
    """Return a(m), the larger solution of s(1, a) − s(1 − 2/m, a) = 10⁻³ (thesis 4.3.3).

    Args:
        size: Members m of the ensemble that is scored; fewer than three count as three.

    Note:
        From 449 members on the difference stays below 10⁻³ for every a. The slope is then the one
        at which it is largest, the limit of the solutions.
    """
    members = max(size, SMALLEST_SIZE)

    def step(a: float) -> float:
        return float(expit(-a * (1.0 - 2.0 / members)) - expit(-a))

    peak = float(minimize_scalar(lambda a: -step(a), bounds=(0.0, 20.0), method="bounded").x)
    if step(peak) <= SMALLEST_STEP:
        return peak
    return float(brentq(lambda a: step(a) - SMALLEST_STEP, peak, 200.0, xtol=1e-12))


@dataclass(frozen=True)
class Sigmoid(VoteLoss):
    """1 − s(M, a), s(x, a) = 1/(1 + e^(−ax)), M = (v* − v_max)/|E| (thesis eq. 4.23–4.26).

    The division by |E| is ours: it makes two classes agree with the margin.
    """

    key: ClassVar[str] = "sig"
    title: ClassVar[str] = "Sigmoid"
    summary: ClassVar[str] = (
        "The vote's error with its step made smooth. "
        "Follows the error closely, yet sees progress on rows that are still wrong."
    )
    reference: ClassVar[str] = "thesis eq. 4.23-4.26, section 4.3.3"

    slope: float | None = option(
        None,
        kind=float,
        optional=True,
        low=0.01,
        high=1000,
        help="Steepness a of the sigmoid; auto solves it from the number of members.",
    )

    def decided(self, size: int) -> "Sigmoid":
        """Return the sigmoid with the steepness of ``size`` members."""
        return replace(self, slope=slope(size)) if self.slope is None else self

    def formula(self) -> str:
        """Return the sigmoid, with its steepness where that is decided."""
        written = "1 − 1/(1 + e^(−a·M))"
        return written if self.slope is None else f"{written}, a = {self.slope:.3g}"

    def terms(
        self, true: Integers, rival: Integers, rivals: Integers, size: int
    ) -> tuple[Floats, ...]:
        """Return each row's smooth error, shape (n,), looked up by v* − v_max (in ±size)."""
        steepness = slope(size) if self.slope is None else self.slope
        values = dyadic(expit(-steepness * np.arange(-size, size + 1) / size))
        return (values[true - rival + size],)
