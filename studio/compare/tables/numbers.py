"""How numbers of a study are written: the same in every table."""

import math

from studio.compare.statistics.intervals import Interval


def shown(value: float, unit: str) -> str:
    """Write an error: per cent with two decimals where it is a share, else four digits."""
    if not math.isfinite(value):
        return "–"
    return f"{100 * value:.2f}" if unit == "%" else f"{value:.4g}"


def shown_interval(interval: Interval, unit: str) -> str:
    """Write both ends of an interval; nothing where nothing is known of it."""
    if not interval.known:
        return ""
    return f"[{shown(interval.low, unit)}, {shown(interval.high, unit)}]"


def rank_interval(interval: Interval) -> str:
    """Write both ends of a mean rank's interval; nothing where nothing is known of it."""
    return f"[{interval.low:.2f}, {interval.high:.2f}]" if interval.known else ""


def p_text(value: float) -> str:
    """Write a probability of a test."""
    return "< 0.001" if value < 0.001 else f"{value:.3f}"
