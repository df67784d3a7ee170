"""How different the members of an ensemble are, pair by pair."""

from dataclasses import dataclass

from studio.analysis.answers.empty import floats, integers
from studio.arrays import Floats, Integers


@dataclass(frozen=True)
class PairDiversity:
    """All pairs of members, similar members side by side.

    Attributes:
        members: Shape (m,). Trial numbers.
        diversity, disagreement: Shape (m, m). In [0, 1], zero on the diagonal
            (:mod:`studio.ensembles.diversity`). Values cannot disagree: there the second is the
            first.
        classes: Whether classes are predicted.
        reason: Why there is nothing; empty where there is.
    """

    members: Integers = integers()
    diversity: Floats = floats(0, 0)
    disagreement: Floats = floats(0, 0)
    classes: bool = True
    reason: str = ""
