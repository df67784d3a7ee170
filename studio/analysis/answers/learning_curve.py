"""Records of the learning curve: an ensemble's error by number of training rows."""

from dataclasses import dataclass
from typing import Literal

Outlook = Literal["lower", "flat", "unknown"]
"""The effect of doubling the rows on the error: lower, hardly changed, or unknown."""


@dataclass(frozen=True)
class LearningCurve:
    """The errors of an ensemble by the number of its members' training rows.

    Contains plain values for p trainings, as a command prints them for the window.

    Attributes:
        rows: Ascending; the last is all.
        losses: The run's metric, always on the same rows.
        low, high: Ends of the 95 % intervals, if any.
        on: The rows of the losses: "test" or "validation".
        metric, unit: The metric's key, and its unit (:class:`studio.data.metrics.base.Metric`).
        later, later_low, later_high: The error with twice the rows, and its 90 % interval; ``None``
            without a power law.
        fitted_rows, fitted: The fitted power law, up to twice the rows; empty without one.
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
        on: Their kind: "test" or "validation".
        reason: Why there can be no curve; empty otherwise.
    """

    seconds: float = 0.0
    members: int = 0
    trainings: int = 0
    rows: int = 0
    on: str = ""
    reason: str = ""
