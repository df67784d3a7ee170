"""Whether new rows are unlike the ones that a run learned from."""

import math
from dataclasses import dataclass

from studio.phrases import phrase

MAX_SHOWN = 6
"""Changed columns that are named one by one."""


GUESSING = 0.5
"""The AUC of a model that cannot distinguish the rows."""


@dataclass(frozen=True)
class ColumnChange:
    """A column whose values have changed.

    Attributes:
        name: The column.
        size: How large the change is: the largest difference of two shares, in [0, 1].
        words: What has changed, in a sentence.
    """

    name: str
    size: float
    words: str


@dataclass(frozen=True)
class NewRows:
    """How new rows compare with those that were learned from.

    Attributes:
        changed: Columns that have changed by more than chance explains, the largest change first.
        auc: Share of the pairs, one row of each kind, in which a model of all columns recognises
            the new one; 0.5 is guessing. NaN where that was not tried.
        low, high: Its 95 % interval.
        verdict: The whole in one sentence; empty where there is nothing to say.
        reason: Why nothing was tested; empty where it was.
    """

    changed: tuple[ColumnChange, ...] = ()
    auc: float = math.nan
    low: float = math.nan
    high: float = math.nan
    verdict: str = ""
    reason: str = ""

    @property
    def sentences(self) -> tuple[str, ...]:
        """The verdict, the changed columns and the whole; empty where the rows are alike."""
        more = len(self.changed) - MAX_SHOWN
        words = (
            self.verdict,
            *(each.words for each in self.changed[:MAX_SHOWN]),
            phrase("other columns that have changed: {count:,}", count=more) if more > 0 else "",
            phrase(
                "as a whole: given an old and a new row, a model picks out the new one in "
                "{share:.0f} of 100 cases (guessing: 50)",
                share=100 * self.auc,
            )
            if self.low > GUESSING
            else "",
        )
        return tuple(filter(None, words))
