"""Numbers as a report writes them."""

import math

from studio.numerals import Numerals, significant


def figure(value: float | None, unit: str, how: Numerals | None = None) -> str:
    """Return a loss for people: "4.2 %" for shares, else four significant digits.

    Args:
        value: None where it is not known.
        unit: The metric's.
        how: How losses that are shown together are written, where they are no shares.
    """
    if value is None or not math.isfinite(value):
        return "–"
    if unit == "%":
        return f"{100 * value:.1f} %"
    return significant(value) if how is None else how.text(value)


def signed(value: float, unit: str, how: Numerals) -> str:
    """Return a difference of losses with its sign, in points of percent for shares.

    ``how`` writes the differences that are shown together, where they are no shares.
    """
    if not math.isfinite(value):
        return "–"
    if unit == "%":
        return "0" if round(100 * value, 2) == 0 else f"{100 * value:+.2f} points".replace("-", "−")
    return "0" if value == 0 else how.text(value, "+").replace("-", "−")


def span(seconds: float) -> str:
    """Return a duration for people: "48 s", "3 min", "2 h 5 min"."""
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
