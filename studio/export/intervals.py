"""Between what the true values of predicted rows lie."""

from dataclasses import dataclass

import numpy as np

from studio.arrays import AnyArray, Floats
from studio.document.store import Document
from studio.export.estimator import Trained
from studio.phrases import phrase
from studio.runs.load import load_history
from studio.runs.margins import margins_of, unseen

TOO_FEW = phrase(
    "There are no intervals: this run has too few validation rows (or groups of them) to say "
    "how far a prediction may be off with this probability."
)


@dataclass(frozen=True, eq=False)
class Intervals:
    """Intervals around predicted values.

    Attributes:
        share: How often they hold the true value.
        ends: Shape (n, 2). The lower and the upper end.
    """

    share: float
    ends: Floats

    @property
    def names(self) -> list[str]:
        """The headings of both ends in a table."""
        return [f"{side} {100 * self.share:g} %" for side in ("lower", "upper")]


def intervals_of(
    document: Document, run_id: int, trained: Trained, values: AnyArray, share: float
) -> Intervals | None:
    """Return the intervals of values (n,); ``None`` where a run has too few rows for the share.

    Raises:
        UsageError: If the share is none, or the run predicts classes.
    """
    prepared = trained.prepared
    history = load_history(document, run_id, prepared)
    margins = margins_of(
        prepared, *unseen(document, run_id, prepared, history, trained.ensemble), share
    )
    if not np.isfinite(margins.factor):
        return None
    return Intervals(share, margins.ends(values.astype(np.float64)))
