"""Interface of evaluations."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from studio.arrays import AnyArray
from studio.data.splits import Folds, Split, SplitPlan, reshuffle_folds
from studio.parts import Part, option


@dataclass(frozen=True)
class Evaluation(Part):
    """Base of all evaluations (docs/methods/evaluation.md).

    Attributes:
        reshuffles: Whether the folds differ from trial to trial.
        rejects_early: Whether trials beyond :meth:`compute_max_loss` end after their first folds.
    """

    reshuffles: ClassVar[bool] = False
    rejects_early: ClassVar[bool] = False

    selection: float = option(
        0.0,
        low=0.0,
        high=0.5,
        help="Share of the rows outside the test set aside for the final choice only.",
    )

    def is_comparable(self, plan: SplitPlan) -> bool:
        """Return whether all trials predict the same rows: with any folds, or a fixed hold-out."""
        return not self.reshuffles or plan.folds is not None

    def compute_max_loss(self, best: float, baseline: float, slack: float) -> float:
        """Return the maximum loss on the first folds before a trial is rejected early.

        Args:
            best, baseline: Losses of the best trial so far and of a constant prediction on the same
                rows.
            slack: Twice the standard error of the best trial's loss; 0 where it is not a mean over
                rows.
        """
        del best, baseline, slack  # only for evaluations with early rejection
        return float("inf")

    @abstractmethod
    def make_folds(
        self, split: Split, plan: SplitPlan, strata: AnyArray, groups: AnyArray | None, seed: int
    ) -> Folds:
        """Return the folds of one trial.

        Args:
            split: The run's split; its training and validation rows may be split again.
            strata: Shape (n,). Class codes of all rows (zeros for regression), for stratification.
            groups: Shape (n,). Group codes of all rows; a group stays whole.
            seed: The trial's seed; the same seed gives the same folds.

        Raises:
            DataError, UsageError: If the rows cannot be split again.
        """


@dataclass(frozen=True)
class FixedSplit(Evaluation):
    """Each trial is trained and scored on the run's split."""

    key = "fixed"
    title = "The same rows for every trial"
    summary = (
        "All trials are scored on the same rows, so that they can be compared and combined. "
        "The usual choice."
    )
    reference = "thesis 3.1"

    def make_folds(
        self, split: Split, plan: SplitPlan, strata: AnyArray, groups: AnyArray | None, seed: int
    ) -> Folds:
        """Return the folds of the split; strata and groups, (n,), are ignored."""
        del plan, strata, groups, seed  # only for evaluations with new splits
        return split.folds


@dataclass(frozen=True)
class EarlyStopping(FixedSplit):
    """As ``fixed``, with early rejection of trials if there are folds.

    A trial is rejected if its first folds are far worse than the best trial's. On a scale from 0
    (the best trial on the same rows) to 1 (always guessing), it is rejected beyond ``hope`` plus
    twice the standard error of the best trial's loss.
    """

    key = "early-end"
    title = "The same rows, and an early end for hopeless trials"
    summary = (
        "All trials are scored on the same rows, so that they can be compared and combined. A "
        "trial whose first folds are far worse than the best trial's is stopped."
    )
    reference = "ours; racing as in Maron & Moore 1994"
    rejects_early = True

    hope: float = option(
        0.5,
        low=0.0,
        high=1.0,
        help=(
            "Tolerance for the first folds: 0 = as good as the best trial's, 1 = as bad as "
            "guessing."
        ),
    )

    def compute_max_loss(self, best: float, baseline: float, slack: float) -> float:
        return best + self.hope * max(0.0, baseline - best) + slack


@dataclass(frozen=True)
class ReshuffledSplit(Evaluation):
    """D_T and D_V are redrawn from D_TV for each trial (with cross-validation: new folds).

    Test and selection rows do not change. The losses of a reshuffled hold-out are on different
    rows: a surrogate can compare them, but predictions cannot be combined.
    """

    key = "reshuffle"
    title = "New split for every trial"
    summary = (
        "Draws new training and validation rows for every trial, so that the search cannot fit "
        "itself to one lucky split. With hold-out only a single model can be chosen."
    )
    reference = "thesis 3.2.1"
    reshuffles = True

    def make_folds(
        self, split: Split, plan: SplitPlan, strata: AnyArray, groups: AnyArray | None, seed: int
    ) -> Folds:
        """Redraw the split of the development rows; strata and groups have shape (n,)."""
        return reshuffle_folds(split, plan, strata, groups, seed)
