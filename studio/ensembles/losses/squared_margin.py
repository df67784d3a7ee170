"""The squared margin loss, EO's default."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from studio.arrays import Floats, Integers
from studio.ensembles.losses.base import VoteLoss


@dataclass(frozen=True)
class SquaredMargin(VoteLoss):
    """(1 − M)²/4, thesis eq. 4.8: the mean squared share of wrong votes."""

    key: ClassVar[str] = "sqm"
    title: ClassVar[str] = "Squared margin"
    summary: ClassVar[str] = (
        "Weighs rows more the more members get them wrong. "
        "Rewards a model for what the rest of the ensemble lacks."
    )
    reference: ClassVar[str] = "EO eq. 9; thesis eq. 4.8"
    by_rival: ClassVar[bool] = False

    def formula(self) -> str:
        """Return the parabola."""
        return "(1 − M)²/4"

    def terms(
        self, true: Integers, rival: Integers, rivals: Integers, size: int
    ) -> tuple[Floats, ...]:
        """Return each row's squared wrong votes, shape (n,)."""
        return (np.square((size - true).astype(np.float64)),)

    def finish(self, sums: tuple[Floats, ...], rows: float, size: int) -> Floats:
        """Return the mean squared share of wrong votes, of the shape of the sum."""
        return sums[0] / (rows * size**2)
