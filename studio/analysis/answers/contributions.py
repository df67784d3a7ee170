"""What each member adds to an ensemble."""

import math
from dataclasses import dataclass

from studio.analysis.answers.empty import floats, integers
from studio.arrays import Floats, Integers


@dataclass(frozen=True)
class Contributions:
    """The members of an ensemble and what each adds. All losses are the run's metric.

    Attributes:
        members: Shape (m,). Trial numbers, heaviest first.
        weights: Shape (m,). Positive, summing to 1.
        validation, test: The ensemble's loss; NaN where there are no such (common) rows.
        own_validation, own_test: Shape (m,). Each member's own loss; NaN as above.
        without_validation, without_test: Shape (m,). The ensemble's loss when the member is left
            out and the other weights are scaled to sum to 1 again; NaN as above, and for an only
            member. ``without - whole`` is what the member adds: positive where the ensemble would
            be worse without it.
        single: The best single trial, 0 where there is none.
        difference: 95 % interval of the test loss of the ensemble minus that of the best single
            trial, on the same rows (:func:`studio.runs.uncertainty.test_difference`).
        guess: Test loss of the answer that looks at no column: the metric's best constant for the
            rows that may be learned from. A model that is not better has learned nothing. NaN where
            there are no test rows.
        reason: Why there are no members; empty where there are.
    """

    members: Integers = integers()
    weights: Floats = floats()
    validation: float = math.nan
    test: float = math.nan
    own_validation: Floats = floats()
    own_test: Floats = floats()
    without_validation: Floats = floats()
    without_test: Floats = floats()
    single: int = 0
    difference: tuple[float, float] | None = None
    guess: float = math.nan
    reason: str = ""
