"""The same rows for every trial."""

from dataclasses import dataclass
from typing import ClassVar

from studio.arrays import AnyArray
from studio.data.evaluation.base import Evaluation
from studio.data.splits import Folds, Split, SplitPlan


@dataclass(frozen=True)
class Fixed(Evaluation):
    """Every trial is trained and scored on the run's own split."""

    key: ClassVar[str] = "fixed"
    title: ClassVar[str] = "The same rows for every trial"
    summary: ClassVar[str] = (
        "All trials are scored on the same rows, so that they can be compared and combined. "
        "The usual choice."
    )
    reference: ClassVar[str] = "thesis 3.1"

    def folds(
        self,
        split: Split,
        plan: SplitPlan,
        strata: AnyArray,
        groups: AnyArray | None,
        seed: int,
    ) -> Folds:
        """Return the split's own folds; strata and groups, (n,), do not matter."""
        del plan, strata, groups, seed  # matter to evaluations that divide again
        return split.folds
