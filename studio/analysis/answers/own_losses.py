"""How well each trial predicts the test rows."""

from dataclasses import dataclass

from studio.analysis.answers.empty import floats
from studio.arrays import Floats


@dataclass(frozen=True)
class OwnTestLosses:
    """The test loss of each trial, as the search trained it.

    Attributes:
        losses: Shape (n,). The run's metric, of trials 1, 2, …; NaN where a trial failed, or there
            are no test rows.
    """

    losses: Floats = floats()
