"""How numbers of a study are written: the same in every table."""

import math


def shown(value: float, unit: str) -> str:
    """Write an error: per cent with two decimals where it is a share, else four digits."""
    if not math.isfinite(value):
        return "–"
    return f"{100 * value:.2f}" if unit == "%" else f"{value:.4g}"


def p_text(value: float) -> str:
    """Write a probability of a test."""
    return "< 0.001" if value < 0.001 else f"{value:.3f}"
