"""The same rows for every trial, but not for long if it is hopeless."""

from dataclasses import dataclass
from typing import ClassVar

from studio.data.evaluation.fixed import Fixed
from studio.parts import option


@dataclass(frozen=True)
class EarlyEnd(Fixed):
    """As ``fixed``; with folds, a trial is given up when its first folds are far behind the best.

    What the best trial so far gave for the same rows is 0 and what always guessing gives is 1: a
    trial beyond ``hope``, and twice the standard error of the best trial's loss, has none.
    """

    key: ClassVar[str] = "early-end"
    title: ClassVar[str] = "The same rows, and an early end for hopeless trials"
    summary: ClassVar[str] = (
        "All trials are scored on the same rows, so that they can be compared and combined. "
        "A trial whose first folds are far worse than the best trial's is given up."
    )
    reference: ClassVar[str] = "ours; racing as in Maron & Moore 1994"
    ends_early: ClassVar[bool] = True

    hope: float = option(
        0.5,
        low=0.0,
        high=1.0,
        help="How bad first folds may be: 0 as good as the best trial's, 1 as bad as guessing.",
    )

    def bar(self, best: float, guess: float, slack: float) -> float:
        """Return the loss above which the first folds of a trial leave no hope."""
        return best + self.hope * max(0.0, guess - best) + slack
