"""Losses of the normalised margin: plain and squared."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from studio.arrays import Floats, Integers
from studio.ensembles.losses.base import VoteLoss


@dataclass(frozen=True)
class Margin(VoteLoss):
    """(1 − M)/2, thesis eq. 4.7: the mean error of the members."""

    key: ClassVar[str] = "margin"
    title: ClassVar[str] = "Margin"
    summary: ClassVar[str] = (
        "The members' mean error: half of one minus the mean margin. Shown for study only, "
        "because it cannot distinguish good teams from good single models."
    )
    reference: ClassVar[str] = "EO eq. 8; thesis eq. 4.7"
    by_rival: ClassVar[bool] = False

    def formula(self) -> str:
        """Return the line."""
        return "(1 − M)/2"

    def terms(
        self, true: Integers, rival: Integers, rivals: Integers, size: int
    ) -> tuple[Floats, ...]:
        """Return each row's wrong votes, shape (n,); (1 − M)/2 is their share."""
        return ((size - true).astype(np.float64),)

    def finish(self, sums: tuple[Floats, ...], rows: float, size: int) -> Floats:
        """Return the mean share of wrong votes, of the shape of the sum."""
        return sums[0] / (rows * size)
