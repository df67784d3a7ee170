"""New training and validation rows for every trial."""

from dataclasses import dataclass
from typing import ClassVar

from studio.arrays import AnyArray
from studio.data.evaluation.base import Evaluation
from studio.data.splits import Folds, Split, SplitPlan, reshuffled


@dataclass(frozen=True)
class Reshuffled(Evaluation):
    """D_T and D_V are redrawn from D_TV for every trial (with cross-validation: new folds).

    Test and selection rows stay what they are. The losses of a reshuffled hold-out are of
    different rows, so they can be compared by a surrogate but predictions cannot be combined.
    """

    key: ClassVar[str] = "reshuffle"
    title: ClassVar[str] = "Other rows for every trial"
    summary: ClassVar[str] = (
        "Draws new training and validation rows for every trial, so that the search cannot fit "
        "itself to one lucky split. With hold-out only a single model can be chosen."
    )
    reference: ClassVar[str] = "thesis 3.2.1"
    moves: ClassVar[bool] = True

    def folds(
        self,
        split: Split,
        plan: SplitPlan,
        strata: AnyArray,
        groups: AnyArray | None,
        seed: int,
    ) -> Folds:
        """Redraw the split of the development rows; strata and groups have shape (n,)."""
        return reshuffled(split, plan, strata, groups, seed)
