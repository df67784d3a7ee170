"""Interface of ensemble losses that are computed from running votes."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from studio.arrays import Floats, Integers
from studio.parts import Part

RESOLUTION = 2.0**32
"""Fractional row losses are rounded to multiples of 2⁻³²: their sums over up to two million rows
are then exact in double precision, in any order of rows, and two ensembles with the same row losses
have exactly equal losses.
"""


@dataclass(frozen=True)
class EnsembleLoss(Part):
    """Base of the losses of ensemble searches."""

    tasks: ClassVar[tuple[str, ...]] = ()


@dataclass(frozen=True)
class VoteLoss(EnsembleLoss):
    """Base of the losses of a majority vote.

    A loss defines a row's contribution (:meth:`compute_terms`), given the votes for its true class
    and for the wrong class with the most votes, and the conversion of the sums over rows to one
    number (:meth:`finish`).

    Attributes:
        uses_runner_up: Whether its margin M of a row is (v* − v_max)/|E|, over the wrong
            class with the most votes (thesis eq. 4.26), or over all wrong votes (eq. 4.5); with two
            classes both are equal.
        is_mean_over_rows: Whether the loss is a mean over rows of a function of their margins.
    """

    tasks: ClassVar[tuple[str, ...]] = ("binary", "multiclass")
    uses_runner_up: ClassVar[bool] = True
    is_mean_over_rows: ClassVar[bool] = True

    def with_size(self, size: int) -> Self:
        """Return the loss with options set from the number of members."""
        del size  # only for losses with such options
        return self

    def get_formula(self) -> str:
        """Return a row's loss as a function of its margin M."""
        return "a function of M"

    def describe_loss(self, margins: Floats, weights: Floats | None = None) -> str:
        """Describe the loss of rows with these margins, if it is not a function of M.

        Args:
            margins: Shape (n,). Margin of each row, in [-1, 1].
            weights: Shape (n,); ``None``: equal.
        """
        del margins, weights
        return ""

    @abstractmethod
    def compute_terms(
        self, true: Integers, runner_up: Integers, n_runners_up: Integers, size: int
    ) -> tuple[Floats, ...]:
        """Return each row's term in each of the loss' sums.

        Args:
            true: Shape (n,). Votes for the true class (v*, thesis eq. 4.25).
            runner_up: Shape (n,). Votes for the wrong class with the most votes (v_max, eq. 4.26).
            n_runners_up: Shape (n,). Number of wrong classes with this number of votes.
            size: Number of votes.

        Returns:
            Each shape (n,): integers, or multiples of 1 / ``RESOLUTION``.
        """

    def finish(self, sums: tuple[Floats, ...], rows: float, size: int) -> Floats:
        """Convert the terms' sums over the rows to losses of the same shape.

        Args:
            sums: One array per term, any shape, with one element per ensemble.
            rows: Number of rows n, or the sum of their weights.
            size: Number of votes.
        """
        return sums[0] / rows


@dataclass(frozen=True)
class ValueLoss(EnsembleLoss):
    """Base of the losses of an averaged value."""

    tasks: ClassVar[tuple[str, ...]] = ("regression",)

    def get_formula(self) -> str:
        """Return a row's loss as a function of its residual r and the residuals' typical size s."""
        return "a function of r / s"

    @abstractmethod
    def compute_loss(self, residuals: Floats, weights: Floats | None = None) -> float:
        """Return the loss.

        Args:
            residuals: Shape (n,). Averaged prediction minus truth; may be overwritten.
            weights: Shape (n,). At least 0; ``None``: equal.
        """


def round_dyadic(values: Floats) -> Floats:
    """Round row losses to multiples of 1 / ``RESOLUTION``, any shape."""
    return np.rint(values * RESOLUTION) / RESOLUTION
