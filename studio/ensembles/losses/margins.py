"""Losses of the normalised margin: linear, squared (EO's default), sigmoid and C-bound."""

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import ClassVar

import numpy as np
from scipy.special import expit

from studio.arrays import Floats, Integers
from studio.data.metrics.weighting import compute_mean
from studio.ensembles.losses.base import VoteLoss, round_dyadic
from studio.parts import option


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
    uses_runner_up: ClassVar[bool] = False

    def get_formula(self) -> str:
        """Return the parabola."""
        return "(1 − M)²/4"

    def compute_terms(
        self, true: Integers, runner_up: Integers, n_runners_up: Integers, size: int
    ) -> tuple[Floats, ...]:
        """Return each row's squared wrong votes, shape (n,)."""
        return (np.square((size - true).astype(np.float64)),)

    def finish(self, sums: tuple[Floats, ...], rows: float, size: int) -> Floats:
        """Return the mean squared share of wrong votes, of the shape of the sum."""
        return sums[0] / (rows * size**2)


@dataclass(frozen=True)
class LinearMargin(VoteLoss):
    """(1 − M)/2, thesis eq. 4.7: the mean error of the members."""

    key: ClassVar[str] = "margin"
    title: ClassVar[str] = "Margin"
    summary: ClassVar[str] = (
        "The members' mean error: half of one minus the mean margin. Shown for study only, "
        "because it cannot distinguish good ensembles from good single models."
    )
    reference: ClassVar[str] = "EO eq. 8; thesis eq. 4.7"
    uses_runner_up: ClassVar[bool] = False

    def get_formula(self) -> str:
        """Return the line."""
        return "(1 − M)/2"

    def compute_terms(
        self, true: Integers, runner_up: Integers, n_runners_up: Integers, size: int
    ) -> tuple[Floats, ...]:
        """Return each row's wrong votes, shape (n,); (1 − M)/2 is their share."""
        return ((size - true).astype(np.float64),)

    def finish(self, sums: tuple[Floats, ...], rows: float, size: int) -> Floats:
        """Return the mean share of wrong votes, of the shape of the sum."""
        return sums[0] / (rows * size)


MIN_STEP = 1e-3
"""ε of thesis 4.3.3: the minimum effect of one vote on a row's loss."""

MIN_SIZE = 3
"""Smaller ensembles use the slope for three members, as they have no larger solution."""


@lru_cache(maxsize=256)
def solve_slope(size: int) -> float:
    """Return a(m), the larger solution of s(1, a) − s(1 − 2/m, a) = 10⁻³ (thesis 4.3.3).

    Args:
        size: Number of members m of the scored ensemble; fewer than three count as three.

    Note:
        From 449 members on, the difference is below 10⁻³ for every a. The slope is then that with
        the largest difference, the limit of the solutions.
    """
    from scipy.optimize import brentq, minimize_scalar  # slow to import, and used by one loss only

    members = max(size, MIN_SIZE)

    def step(a: float) -> float:
        return float(expit(-a * (1.0 - 2.0 / members)) - expit(-a))

    peak = float(minimize_scalar(lambda a: -step(a), bounds=(0.0, 20.0), method="bounded").x)
    if step(peak) <= MIN_STEP:
        return peak
    return float(brentq(lambda a: step(a) - MIN_STEP, peak, 200.0, xtol=1e-12))


@dataclass(frozen=True)
class SigmoidMargin(VoteLoss):
    """1 − s(M, a), s(x, a) = 1/(1 + e^(−ax)), M = (v* − v_max)/|E| (thesis eq. 4.23–4.26).

    The division by |E| is our extension: with two classes, M then equals the margin.
    """

    key: ClassVar[str] = "sig"
    title: ClassVar[str] = "Sigmoid"
    summary: ClassVar[str] = (
        "The vote's error with its step made smooth. Follows the error closely, yet registers "
        "progress on rows still wrong."
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

    def with_size(self, size: int) -> "SigmoidMargin":
        """Return the sigmoid with the steepness for ``size`` members."""
        return replace(self, slope=solve_slope(size)) if self.slope is None else self

    def get_formula(self) -> str:
        """Return the sigmoid, with its steepness if set."""
        formula_text = "1 − 1/(1 + e^(−a·M))"
        return formula_text if self.slope is None else f"{formula_text}, a = {self.slope:.3g}"

    def compute_terms(
        self, true: Integers, runner_up: Integers, n_runners_up: Integers, size: int
    ) -> tuple[Floats, ...]:
        """Return each row's smooth error, shape (n,), looked up by v* − v_max (in ±size)."""
        steepness = solve_slope(size) if self.slope is None else self.slope
        values = round_dyadic(expit(-steepness * np.arange(-size, size + 1) / size))
        return (values[true - runner_up + size],)


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
    uses_runner_up: ClassVar[bool] = False
    is_mean_over_rows: ClassVar[bool] = False

    def describe_loss(self, margins: Floats, weights: Floats | None = None) -> str:
        """Describe the loss of these rows, (n,): a single margin has none (thesis 4.3)."""
        first, second = compute_mean(margins, weights), compute_mean(np.square(margins), weights)
        value = 0.5 * (1.0 - np.sign(first) * first**2 / second) if second > 0 else 0.5
        return (
            f"The C-bound is not a function of one row's margin: it is ½(1 − μ₁²/μ₂) of all rows, "
            f"here with μ₁ = {first:.3f} (mean margin) and μ₂ = {second:.3f} (mean of its "
            f"square): {value:.4f}."
        )

    def compute_terms(
        self, true: Integers, runner_up: Integers, n_runners_up: Integers, size: int
    ) -> tuple[Floats, ...]:
        """Return each row's margin times the number of votes, and its square, shape (n,) each."""
        margin = (2 * true - size).astype(np.float64)
        return margin, np.square(margin)

    def finish(self, sums: tuple[Floats, ...], rows: float, size: int) -> Floats:
        """Return the bound, of the shape of each sum.

        The factors 1/size of margin and squared margin cancel.
        """
        first, second = sums
        ratio = np.divide(
            first * np.abs(first), rows * second, out=np.zeros_like(first), where=second > 0
        )
        return 0.5 * (1.0 - ratio)
