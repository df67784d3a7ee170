"""Interface of evaluations."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from studio.arrays import AnyArray
from studio.data.splits import Folds, Split, SplitPlan
from studio.parts import Part, option


@dataclass(frozen=True)
class Evaluation(Part):
    """Base of all evaluations (docs/methods/evaluation.md).

    Attributes:
        moves: Whether the folds differ from trial to trial.
        ends_early: Whether trials beyond :meth:`bar` end after their first folds.
    """

    moves: ClassVar[bool] = False
    ends_early: ClassVar[bool] = False

    selection: float = option(
        0.0,
        low=0.0,
        high=0.5,
        help="Share of the rows outside the test kept aside for the final choice only.",
    )

    def comparable(self, plan: SplitPlan) -> bool:
        """Return whether all trials predict the same rows.

        Folds predict every row of D_TV, however they are drawn; a hold-out does not.
        """
        return not self.moves or plan.folds is not None

    def bar(self, best: float, guess: float, slack: float) -> float:
        """Return the maximum loss on the first folds before a trial is rejected early.

        Args:
            best, guess: Losses of the best trial so far and of a constant prediction on the same
                rows.
            slack: Twice the standard error of the best trial's loss; 0 where it is not a mean over
                rows.
        """
        del best, guess, slack  # only for evaluations with early rejection
        return float("inf")

    @abstractmethod
    def folds(
        self, split: Split, plan: SplitPlan, strata: AnyArray, groups: AnyArray | None, seed: int
    ) -> Folds:
        """Return the folds of one trial.

        Args:
            split: The run's; its training and validation rows may be divided again.
            strata: Shape (n,). Class codes of all rows (zeros for regression), for stratification.
            groups: Shape (n,). Group codes of all rows; a group stays whole.
            seed: The trial's; the same seed gives the same folds.

        Raises:
            DataError, UsageError: If the rows cannot be divided again.
        """
