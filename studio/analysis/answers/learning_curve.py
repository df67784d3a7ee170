"""Records of the learning curve: an ensemble's error by number of training rows."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from studio.phrases import phrase

Outlook = Literal["lower", "flat", "unknown"]
"""The effect of doubling the rows on the error: lower, hardly changed, or unknown."""


@dataclass(frozen=True)
class LearningCurve:
    """The errors of an ensemble by the number of its members' training rows.

    Contains plain values for p trainings, as a command prints them for the window.

    Attributes:
        rows: Numbers of training rows, ascending; the last is all rows.
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
        on: The kind of the evaluated rows: "test" or "validation".
        reason: Why there can be no curve; empty otherwise.
    """

    seconds: float = 0.0
    members: int = 0
    trainings: int = 0
    rows: int = 0
    on: str = ""
    reason: str = ""


@dataclass(frozen=True)
class LastStep:
    """The measured step from about half of the rows, ``rows``, to all: the error's decrease.

    Halves of about equal size count as one, with the means of their sizes and errors.
    """

    rows: int
    fall: float


_STEP_SHARES = 0.4, 0.7

_HALF_TOLERANCE = 0.05
"""Share of all rows by which halves may differ: groups and copies are kept together."""

_MIN_WHOLE_PERCENT = 10
"""Percentage from which a reduction is given without decimals."""


def find_last_step(rows: Sequence[int], losses: Sequence[float]) -> LastStep | None:
    """Return the last step of the figure that is about a doubling; ``None`` without one."""
    low, high = (share * rows[-1] for share in _STEP_SHARES)
    distances = {each: abs(each - rows[-1] / 2) for each in rows if low <= each <= high}
    if not distances:
        return None
    limit = min(distances.values()) + _HALF_TOLERANCE * rows[-1]
    halves = [
        (each, loss)
        for each, loss in zip(rows, losses, strict=True)
        if distances.get(each, math.inf) <= limit
    ]
    sizes, errors = zip(*halves, strict=True)
    return LastStep(round(sum(sizes) / len(sizes)), sum(errors) / len(errors) - losses[-1])


def choose_outlook(
    decrease: tuple[float, float], step: LastStep | None, min_gain: float, max_flat_gain: float
) -> Outlook:
    """Return the trend at twice the rows on which forecast and last measured step agree.

    A doubling rarely gains more than the one before it. So a lower error needs a last step of at
    least the interval's lower end, and a flat curve a last step without a worthwhile gain or loss.

    Args:
        decrease: 90 % interval of the error's decrease.
        min_gain, max_flat_gain: The least decrease that counts, and the largest that does not.
    """
    least, most = decrease
    if least >= min_gain and (step is None or step.fall >= least):
        return "lower"
    if most <= max_flat_gain and (step is None or abs(step.fall) <= max_flat_gain):
        return "flat"
    return "unknown"


def describe_forecast(curve: LearningCurve) -> str:
    """Describe the effect of doubling the rows; empty without a forecast."""
    if curve.later is None or curve.later_low is None or curve.later_high is None:
        return ""
    outlook, rows, unit = curve.outlook, curve.rows[-1], curve.unit
    current_error = _get_fitted_error(curve)
    fall, least, most = (
        current_error - each for each in (curve.later, curve.later_high, curve.later_low)
    )
    values: dict[str, Any] = {
        "fall": _format_reduction(fall, current_error, unit),
        "least": _format_reduction(least, current_error, unit),
        "most": _format_reduction(most, current_error, unit),
        "rows": rows,
    }
    values["fall"] = _add_unit(values["fall"], unit)
    if outlook == "flat":
        return phrase(
            "More rows would change little: another {rows:,} would lower the error by about {fall} "
            "(90 % interval: {least} to {most}).",
            **values,
        )
    if outlook == "lower":
        return phrase(
            "Another {rows:,} rows would lower the error by about {fall} (90 % interval: {least} "
            "to {most}).",
            **values,
        )
    if (count := _count_useless_rows(curve)) > 0:
        # Only the last step: before it, more rows may have helped.
        return phrase(
            "It cannot be told whether more rows would help: the last {count:,} did not lower the "
            "error.",
            count=count,
        )
    return phrase(
        "It cannot be told whether another {rows:,} rows would lower the error noticeably (90 % "
        "interval: {least} to {most}).",
        rows=rows,
        least=values["least"],
        most=_add_unit(values["most"], unit),
    )


def describe_last_step(curve: LearningCurve) -> str:
    """Describe the last measured step, for comparison with the forecast; empty without one."""
    step = find_last_step(curve.rows, curve.losses) if curve.rows else None
    if step is None:
        return ""
    error = curve.losses[-1] + step.fall
    by = _format_reduction(abs(step.fall), error, curve.unit)
    values = {"few": step.rows, "rows": curve.rows[-1], "by": _add_unit(by, curve.unit)}
    if not _has_nonzero_digit(by):
        return phrase("Measured: from {few:,} rows to {rows:,} it hardly changed.", **values)
    if step.fall >= 0:
        return phrase("Measured: from {few:,} rows to {rows:,} it fell by {by}.", **values)
    if curve.outlook != "unknown" or curve.later_low is None:
        return phrase("Measured: from {few:,} rows to {rows:,} it rose by {by}.", **values)
    # Documents of earlier versions have intervals without the rise.
    most = max(-step.fall, _get_fitted_error(curve) - curve.later_low)
    return phrase(
        "Measured: from {few:,} rows to {rows:,} the error rose by {by}. For another "
        "{rows:,} the 90 % interval reaches from {most} lower to {by} higher.",
        most=_add_unit(_format_reduction(most, error, curve.unit), curve.unit),
        **values,
    )


def _count_useless_rows(curve: LearningCurve) -> int:
    """Return the number of rows added in the last step if the displayed error has risen, else 0."""
    step = find_last_step(curve.rows, curve.losses)
    if step is None or step.fall >= 0:
        return 0
    by = _format_reduction(-step.fall, curve.losses[-1] + step.fall, curve.unit)
    return curve.rows[-1] - step.rows if _has_nonzero_digit(by) else 0


def _get_fitted_error(curve: LearningCurve) -> float:
    """Return the error of the fitted power law with all rows."""
    fitted = zip(curve.fitted_rows, curve.fitted, strict=True)
    return min(fitted, key=lambda each: abs(each[0] - curve.rows[-1]))[1]


def _has_nonzero_digit(number: str) -> bool:
    """Return whether a formatted number is not 0."""
    return any(digit in number for digit in "123456789")


def _add_unit(number: str, unit: str) -> str:
    """Return a formatted reduction with its unit, where it is not part of the number."""
    return phrase("{number} percentage points", number=number) if unit == "%" else number


def _format_reduction(by: float, current_error: float, unit: str) -> str:
    """Format a reduction of the error: in percentage points, as in the figure, or relative."""
    if unit == "%":
        return phrase("{points:.1f}", points=100 * by)
    percent = 100 * by / current_error if current_error else 0.0
    if abs(percent) < _MIN_WHOLE_PERCENT:
        return phrase("{percent:.1f} %", percent=percent)
    return phrase("{percent:.0f} %", percent=percent)
