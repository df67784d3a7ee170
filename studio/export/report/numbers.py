"""Numbers as a report writes them."""

import math

from studio.numerals import significant


def figure(value: float | None, unit: str) -> str:
    """Return a loss for people: "4.2 %" for shares, else four significant digits."""
    if value is None or not math.isfinite(value):
        return "–"
    return f"{100 * value:.1f} %" if unit == "%" else significant(value)


def signed(value: float, unit: str) -> str:
    """Return a difference of losses with its sign, in points of percent for shares."""
    if not math.isfinite(value):
        return "–"
    if unit == "%":
        return "0" if round(100 * value, 2) == 0 else f"{100 * value:+.2f} points"
    return "0" if value == 0 else significant(value, "+.3g")


def span(seconds: float) -> str:
    """Return a duration for people: "48 s", "3 min", "2 h 5 min"."""
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
