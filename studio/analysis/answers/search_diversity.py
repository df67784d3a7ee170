"""How unlike the ensemble each suggestion of a run turned out."""

from dataclasses import dataclass

from studio.analysis.answers.empty import floats, integers
from studio.arrays import Floats, Integers


@dataclass(frozen=True)
class LeastDiversity:
    """The diversity of each suggestion to the most similar member of the ensemble before it.

    Attributes:
        numbers: Shape (k,). The trials that gave predictions and had an ensemble before them,
            ascending.
        least: Shape (k,). min over the members of Div (DivBO eq. 3), in [0, 1].
        nearest: Shape (k,). The member that it was most similar to.
        more: Whether there are trials that have not been looked at: ask again.
    """

    numbers: Integers = integers()
    least: Floats = floats()
    nearest: Integers = integers()
    more: bool = False


@dataclass(frozen=True)
class Agreement:
    """How well a diversity surrogate orders pairs that it has not seen (figure 2).

    Attributes:
        numbers: Shape (c,). Iterations that are known so far.
        taus: Shape (c,). Kendall's tau at each, in [-1, 1]; NaN where there were too few trials.
        applies: Whether the method has such a surrogate.
        more: Whether there are more to compute: ask again.
    """

    numbers: Integers = integers()
    taus: Floats = floats()
    applies: bool = True
    more: bool = False
