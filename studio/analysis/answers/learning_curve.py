"""Records of the learning curve: an ensemble's error by number of training rows."""

from dataclasses import dataclass
from typing import Literal

Outlook = Literal["lower", "flat", "unknown"]
"""The effect of twice the rows on the error: lower, hardly changed, or unknown."""


@dataclass(frozen=True)
class LearningCurve:
    """The errors of an ensemble by the number of its members' training rows.

    Of p trainings, made of plain values, since a command prints it for the window.

    Attributes:
        rows: How many rows, ascending; at last all.
        losses: The run's metric on the same rows each time.
        low, high: Ends of the 95 % intervals, where there are any.
        on: Which rows judge: "test" or "validation".
        metric, unit: The metric's key, and its unit as :class:`studio.data.metrics.base.Metric` has
            it.
        outlook: What twice the rows would do.
        later, later_low, later_high: The error with twice the rows, and the ends of its 90 %
            interval; ``None`` without a power law.
        fitted_rows, fitted: The fitted power law, up to twice the rows; empty without one.
        sentence: What that means.
        notes: What to know of it.
    """

    rows: tuple[int, ...] = ()
    losses: tuple[float, ...] = ()
    low: tuple[float | None, ...] = ()
    high: tuple[float | None, ...] = ()
    on: str = ""
    metric: str = ""
    unit: str = ""
    outlook: Outlook = "unknown"
    later: float | None = None
    later_low: float | None = None
    later_high: float | None = None
    fitted_rows: tuple[float, ...] = ()
    fitted: tuple[float, ...] = ()
    sentence: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class CurveCost:
    """The cost of a learning curve.

    Attributes:
        seconds: About how long.
        members, trainings: How many models are trained, and how often in all.
        rows: How many rows judge them.
        on: Which rows those are: "test" or "validation".
        reason: Why there can be no curve; empty where there can.
    """

    seconds: float = 0.0
    members: int = 0
    trainings: int = 0
    rows: int = 0
    on: str = ""
    reason: str = ""
