"""Numbers as a report writes them."""

import math


def figure(value: float | None, unit: str) -> str:
    """Return a loss for people: "4.2 %" for shares, else four significant digits."""
    if value is None or not math.isfinite(value):
        return "–"
    return f"{100 * value:.1f} %" if unit == "%" else f"{value:.4g}"


def signed(value: float, unit: str) -> str:
    """Return a difference of losses with its sign, in points of percent for shares."""
    if not math.isfinite(value):
        return "–"
    if unit == "%":
        return "0" if round(100 * value, 2) == 0 else f"{100 * value:+.2f} points"
    return "0" if value == 0 else f"{value:+.3g}"


def span(seconds: float) -> str:
    """Return a duration for people: "48 s", "3 min", "2 h 5 min"."""
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def ticks(low: float, high: float, about: int = 5) -> list[float]:
    """Return round numbers between two values, about five of them."""
    if not high > low:
        return [low]
    raw = (high - low) / about
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power >= raw)
    first = math.ceil(low / step - 1e-9)
    count = math.floor(high / step + 1e-9) - first
    return [round((first + place) * step, 12) for place in range(count + 1)]
