"""Records of the learning curve: an ensemble's error by number of training rows."""

from dataclasses import dataclass
from typing import Any, Literal

from studio.phrases import phrase

Outlook = Literal["lower", "flat", "unknown"]
"""The effect of doubling the rows on the error: lower, hardly changed, or unknown."""


MIN_CERTAIN_REDUCTION = 0.001
"""Relative reduction below which the error counts as hardly changed: the fit never rises."""


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


def describe_forecast(curve: LearningCurve) -> str:
    """Describe the effect of doubling the rows; empty without a forecast."""
    if curve.later is None or curve.later_low is None or curve.later_high is None:
        return ""
    outlook, rows, unit = curve.outlook, curve.rows[-1], curve.unit
    fitted = zip(curve.fitted_rows, curve.fitted, strict=True)
    _, current_error = min(fitted, key=lambda each: abs(each[0] - rows))
    fall, least, most = (
        current_error - each for each in (curve.later, curve.later_high, curve.later_low)
    )
    values: dict[str, Any] = {
        "fall": _format_reduction(fall, current_error, unit),
        "least": _format_reduction(least, current_error, unit),
        "most": _format_reduction(most, current_error, unit),
        "rows": rows,
    }
    if unit == "%":
        values["most"] = phrase("{number} percentage points", number=values["most"])
    if outlook == "flat":
        return phrase(
            "More rows would change little: another {rows:,} would lower the error by about {fall} "
            "(90 % interval: {least} to {most}).",
            **values,
        )
    if outlook == "lower" and unit in {"%", ""}:
        return phrase(
            "Another {rows:,} rows would probably lower the error from {now} to about {later} (90 "
            "% interval of the reduction: {least} to {most}).",
            now=_format_error(current_error, unit),
            later=_format_error(current_error - fall, unit),
            **values,
        )
    if outlook == "lower":
        return phrase(
            "Another {rows:,} rows would probably lower the error by about {fall} (90 % interval: "
            "{least} to {most}).",
            **values,
        )
    if least <= MIN_CERTAIN_REDUCTION * current_error:
        return phrase(
            "It is uncertain whether more rows would help: another {rows:,} may lower the error by "
            "about {fall}, or hardly at all (90 % interval: {least} to {most}).",
            **values,
        )
    return phrase(
        "It is uncertain how much more rows would help: another {rows:,} may lower the error by "
        "about {fall} (90 % interval: {least} to {most}).",
        **values,
    )


def _format_error(error: float, unit: str) -> str:
    return phrase("{share:.1f} %", share=100 * error) if unit else phrase("{loss:,.4f}", loss=error)


def _format_reduction(by: float, current_error: float, unit: str) -> str:
    """Format a reduction of the error: in percentage points, as in the figure, or relative."""
    if unit == "%":
        return phrase("{points:.1f}", points=100 * by)
    if not unit:
        return phrase("{number:,.4f}", number=by)
    return phrase("{percent:.0f} %", percent=100 * by / current_error if current_error else 0.0)
