"""Where an ensemble errs, row by row."""

from dataclasses import dataclass

from studio.analysis.answers.empty import floats, integers
from studio.arrays import AnyArray, Floats, Integers
from studio.data.metrics.curves import Curve, Reliability

ALL = -1
"""Instead of a class: all classes (the mean over them; of chances, those of the answer given)."""


@dataclass(frozen=True)
class PredictionErrors:
    """Where an ensemble errs. "Both" is the ensemble and, after it, the best single trial.

    Weights of rows count for nothing here.

    Attributes:
        classes: Length C. Empty for values.
        about: The class that curves are about, or :data:`ALL`.
        members, single, count: Members of the ensemble; the best single trial (0 where it is all of
            the ensemble); rows n.
        confusion: Shape (C, C). Rows of each true class (first axis) by the ensemble's answer.
        roc, precision: Of both; the areas are that under the curve, and average precision.
        reliability: Of both.
        listed: Shape (r,). Numbers of the rows about which the members disagree most.
        listed_truth, listed_said: Shape (r,). Their truth and what the ensemble says: codes, or
            values.
        listed_spread: Shape (r,). Weight of the members that agree with the ensemble, or the
            members' standard deviation.
        listed_other: Shape (r,). The answer that most of the other members give, -1 for none; NaN
            for values.
        listed_wrong: Length r. Trials of the members that answer otherwise than the ensemble, the
            heaviest first; empty for values.
        listed_pixels: Shape (r, height, width). Where columns are the pixels of a picture: their
            values, 0 for the least of all rows to 255 for the greatest; else of no elements.
        dots: Shape (p,). Numbers of the rows that are drawn as dots: of very many, some at random.
        dots_truth, dots_said: Shape (p,). Their values.
        edges, bars: Shape (b + 1,) and (both, b). Histogram of the residuals, predicted minus true
            value, of all rows.
        rmse, mae, r2: Shape (both,). Of the values: root mean square and mean absolute error, R².
        reason: Why there is nothing; empty where there is.
    """

    classes: tuple[str, ...] = ()
    about: int = ALL
    members: int = 0
    single: int = 0
    count: int = 0
    confusion: Integers = integers(0, 0)
    roc: tuple[Curve, ...] = ()
    precision: tuple[Curve, ...] = ()
    reliability: tuple[Reliability, ...] = ()
    listed: Integers = integers()
    listed_truth: AnyArray = floats()
    listed_said: AnyArray = floats()
    listed_spread: Floats = floats()
    listed_other: AnyArray = floats()
    listed_wrong: tuple[tuple[int, ...], ...] = ()
    listed_pixels: AnyArray = integers(0, 0, 0)
    dots: Integers = integers()
    dots_truth: Floats = floats()
    dots_said: Floats = floats()
    edges: Floats = floats()
    bars: Integers = integers(0, 0)
    rmse: Floats = floats()
    mae: Floats = floats()
    r2: Floats = floats()
    reason: str = ""
