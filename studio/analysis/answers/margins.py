"""How clearly an ensemble is right on each validation row, and how losses judge that."""

import math
from dataclasses import dataclass

from studio.analysis.answers.empty import floats, integers
from studio.arrays import Floats, Integers


@dataclass(frozen=True)
class LossCurve:
    """One loss of a row.

    Attributes:
        key, title: The loss.
        formula: What it is of the margin M (or residual r), with its parameters' values.
        values: Shape (g,). The loss at each place of the grid.
    """

    key: str
    title: str
    formula: str
    values: Floats


@dataclass(frozen=True)
class Margins:
    """The losses over the margin, and the ensemble's margins.

    Attributes:
        grid: Shape (g,). Margins in [-1, 1], or residuals.
        curves: The losses that can be drawn.
        own: Key of the loss that the run's ensemble is searched for by; empty where it is none of
            these.
        points_x, points_y: Shape (p,). What a row's loss can be with that many members, by the
            run's own loss.
        edges: Shape (b + 1,). Borders of the histogram's bars.
        counts: Shape (b,). Validation rows in each bar.
        size: Members.
        wrong, low: Share of rows with a margin below 0, and of those up to ½; NaN for numbers.
        mean: Mean margin, or root mean square of the residuals.
        of_values: Whether the target is a number: residuals instead of margins.
        note: What cannot be drawn, in a sentence, or empty.
        reason: Why there is nothing; empty where there is.
    """

    grid: Floats = floats()
    curves: tuple[LossCurve, ...] = ()
    own: str = ""
    points_x: Floats = floats()
    points_y: Floats = floats()
    edges: Floats = floats()
    counts: Integers = integers()
    size: int = 0
    wrong: float = math.nan
    low: float = math.nan
    mean: float = math.nan
    of_values: bool = False
    note: str = ""
    reason: str = ""
