"""The C-bound, adapted to mean margins below zero."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from studio.arrays import Floats, Integers
from studio.data.metrics.weighting import mean
from studio.ensembles.losses.base import VoteLoss


@dataclass(frozen=True)
class CBound(VoteLoss):
    """½ (1 − sign(μ₁) μ₁²/μ₂), thesis eq. 4.22; ½ where μ₂ = 0.

    μ₁ and μ₂ are the means over the rows of the margin and of its square.
    """

    key: ClassVar[str] = "C"
    title: ClassVar[str] = "C-bound"
    summary: ClassVar[str] = (
        "A bound on the vote's error from the mean and the spread of the margin. "
        "Puts more weight on members that disagree than the squared margin does."
    )
    reference: ClassVar[str] = "thesis eq. 4.22, after Germain et al. 2015"
    by_rival: ClassVar[bool] = False
    by_rows: ClassVar[bool] = False

    def remark(self, margins: Floats, weights: Floats | None = None) -> str:
        """Say what it is of these rows, (n,): it has no value at a single margin (thesis 4.3)."""
        first, second = mean(margins, weights), mean(np.square(margins), weights)
        value = 0.5 * (1.0 - np.sign(first) * first**2 / second) if second > 0 else 0.5
        return (
            f"The C-bound is no function of one row's margin: it is ½(1 − μ₁²/μ₂) of all rows, "
            f"here with μ₁ = {first:.3f} (mean margin) and μ₂ = {second:.3f} (mean of its "
            f"square): {value:.4f}."
        )

    def terms(
        self, true: Integers, rival: Integers, rivals: Integers, size: int
    ) -> tuple[Floats, ...]:
        """Return each row's margin times the number of votes, and its square, shape (n,) each."""
        margin = (2 * true - size).astype(np.float64)
        return margin, np.square(margin)

    def finish(self, sums: tuple[Floats, ...], rows: float, size: int) -> Floats:
        """Return the bound; the factors 1/size of margin and squared margin cancel.

        Of the shape of each sum.
        """
        first, second = sums
        ratio = np.divide(
            first * np.abs(first), rows * second, out=np.zeros_like(first), where=second > 0
        )
        return 0.5 * (1.0 - ratio)
