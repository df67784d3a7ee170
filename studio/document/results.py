"""The contents of a run's result, by name and type: whoever reads it need not check again."""

from dataclasses import dataclass
from typing import Any, Literal

from studio.data.metrics.plain import PlainScore
from studio.document import sealing, shapes

Ends = tuple[float, float]


@dataclass(frozen=True)
class _Member:
    trial: int
    weight: float


@dataclass(frozen=True)
class _Single:
    trial: int


@dataclass(frozen=True)
class Result:
    """As :mod:`studio.runs.finish` makes it; further names, of older versions, are allowed."""

    members: tuple[_Member, ...]
    combination: Literal["vote", "mean", "stack"]
    temperature: float
    single: _Single
    metric: str
    unit: str
    headline: PlainScore | None
    test_rows: int
    test_error_single: float | None
    test_error_ensemble: float | None
    test_interval: Ends | None
    single_interval: Ends | None
    difference_interval: Ends | None
    refitted: bool
    notes: tuple[str, ...]
    kept_bytes: int
    kept_reason: str
    trials: int
    concluding: int
    seconds: float
    time_budget: float | None
    utilisation: dict[str, float]
    exhausted: str


def check_result(result: dict[str, Any], label: str) -> None:
    """Refuse a result whose values are not what a run writes.

    Raises
    ------
    DocumentError
        If one is of another type, or there are no members.
    """
    shapes.check(Result, result, label)
    if "members" not in result:
        sealing.damaged(label)
