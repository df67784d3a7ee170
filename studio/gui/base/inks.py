"""Colours of inks in the current theme."""

from PySide6.QtGui import QColor

from studio.figures.ink import Ink
from studio.gui.base import theme

_FIXED = {"white": theme.WHITE, "black": theme.BLACK}


def get_colour(ink: Ink) -> QColor:
    """Return an ink's colour in the current theme."""
    current_theme, (role, alpha) = theme.current(), ink
    *depth, name = role.rsplit(" ", 1)
    if not depth:
        return theme.colour(_FIXED.get(name) or getattr(current_theme, name), alpha)
    is_run = depth[0].endswith("run")
    qcolor = QColor((current_theme.runs if is_run else current_theme.series)[int(name)])
    if depth[0].startswith("deep "):
        # In the dark theme, lighter inks would all look like the sky blue of the series.
        background, share = (
            (current_theme.surface, 0.35) if current_theme.is_dark else (current_theme.text, 0.45)
        )
        qcolor = mix_colours(qcolor, QColor(background), share)
    qcolor.setAlphaF(alpha)
    return qcolor


def mix_colours(first: QColor, second: QColor, share: float) -> QColor:
    """Interpolate between two colours; ``share`` in [0, 1], 0 for the first."""
    keep = 1.0 - share
    return QColor(
        round(first.red() * keep + second.red() * share),
        round(first.green() * keep + second.green() * share),
        round(first.blue() * keep + second.blue() * share),
    )
