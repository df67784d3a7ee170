"""Losses of the ensemble's prediction: error of the vote, squared error of the mean."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from studio.arrays import Floats, Integers
from studio.data.metrics.weighting import compute_mean
from studio.ensembles.losses.base import ValueLoss, VoteLoss
from studio.parts import option

VOTE_UNITS = 720_720
"""Unit of row losses: 1/720,720, as 720,720 is divisible by 2 to 16, so that three rows with a tie
of three classes weigh exactly as much as two wrong rows. Ties of more classes are rounded.
"""


@dataclass(frozen=True)
class ZeroOneLoss(VoteLoss):
    """Error rate of the vote.

    A tie between the true class and w wrong ones counts w / (w + 1), its expectation if the winner
    is drawn (``half``), or 1, as in thesis tables 4.1 and 4.2 (``thesis``).
    """

    key: ClassVar[str] = "zero-one"
    title: ClassVar[str] = "Error of the vote"
    summary: ClassVar[str] = (
        "The share of rows that the majority vote gets wrong. "
        "Many ensembles have equal errors, so it is a coarse guide for a search."
    )
    reference: ClassVar[str] = "EO eq. 2, 4; thesis table 4.1"

    ties: str = option(
        "half",
        choices=("half", "thesis"),
        help="How a tied vote counts: its expected error, or a full error as in the thesis.",
    )

    def get_formula(self) -> str:
        """Return the step."""
        return "1 where M < 0, ½ at 0"

    def compute_terms(
        self, true: Integers, runner_up: Integers, n_runners_up: Integers, size: int
    ) -> tuple[Floats, ...]:
        """Return each row's expected error, in 720,720ths, shape (n,)."""
        tied = (
            np.rint(VOTE_UNITS * n_runners_up / (n_runners_up + 1.0))
            if self.ties == "half"
            else VOTE_UNITS
        )
        return (np.where(true > runner_up, 0.0, np.where(true < runner_up, VOTE_UNITS, tied)),)

    def finish(self, sums: tuple[Floats, ...], rows: float, size: int) -> Floats:
        """Return the mean expected error, of the shape of the sum."""
        return sums[0] / (VOTE_UNITS * rows)


@dataclass(frozen=True)
class SquaredError(ValueLoss):
    """Mean squared error of the members' mean prediction (EO-mse)."""

    key: ClassVar[str] = "mse"
    title: ClassVar[str] = "Squared error"
    summary: ClassVar[str] = (
        "The squared error of the members' mean prediction. "
        "Takes the place of the vote's losses when numbers are predicted."
    )
    reference: ClassVar[str] = "ours: the counterpart of EO eq. 9 for regression"

    def get_formula(self) -> str:
        """Return the square of the residual."""
        return "(r / s)²"

    def compute_loss(self, residuals: Floats, weights: Floats | None = None) -> float:
        """Return the mean square of residuals, shape (n,)."""
        return compute_mean(np.square(residuals, out=residuals), weights)
