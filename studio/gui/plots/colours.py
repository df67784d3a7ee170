"""Colours that mean something in plots: one a branch, and the scale of a heat map."""

from collections.abc import Sequence

from PySide6.QtGui import QColor

from studio.figures.ink import MUTED, Ink, series
from studio.gui.base.theme import Theme

SINGLE, ENSEMBLE = 0, 5
"""Places in ``Theme.series`` of the best single model and of the ensemble, in every plot."""

CHOICE = 7
"""Place of the choice by the surrogate's posterior mean."""

OVERLAYS = (2, 3, 1, 4, 6)
"""Places in ``Theme.series`` of the runs laid over the one looked at, in their order."""


def overlay_colour(place: int, theme: Theme) -> QColor:
    """Return the colour of the run laid over the others as number ``place``, counted from 0."""
    return QColor(theme.series[OVERLAYS[place % len(OVERLAYS)]])


def overlay_ink(place: int) -> Ink:
    """Return the ink of the run laid over the others as number ``place``, counted from 0."""
    return series(OVERLAYS[place % len(OVERLAYS)])


def branch_colours(branches: Sequence[str], theme: Theme) -> dict[str, QColor]:
    """Give each branch its colour; "" (no branch) is muted.

    Branches beyond the eighth take the series' colours again, darker: in the dark theme, lighter
    ones would all look like the sky blue of the series.
    """
    dark, share = (theme.surface, 0.35) if theme.is_dark else (theme.text, 0.45)
    colours = {"": QColor(theme.muted)}
    for place, branch in enumerate(branches):
        colour = QColor(theme.series[place % len(theme.series)])
        if place >= len(theme.series):
            colour = mixed(colour, QColor(dark), share)
        colours[branch] = colour
    return colours


def branch_inks(branches: Sequence[str]) -> dict[str, Ink]:
    """Give each branch its ink, those beyond the eighth a deep one; "" (no branch) is muted.

    Branches may stand several times, so that those that a run had can follow those that it has.
    """
    known = dict.fromkeys(filter(None, branches))
    return {"": MUTED} | {branch: series(place) for place, branch in enumerate(known)}


def mixed(first: QColor, second: QColor, share: float) -> QColor:
    """Return the colour that is ``share`` in [0, 1] of the way from the first to the second."""
    keep = 1.0 - share
    return QColor(
        round(first.red() * keep + second.red() * share),
        round(first.green() * keep + second.green() * share),
        round(first.blue() * keep + second.blue() * share),
    )


def triple(colour: QColor) -> tuple[int, int, int]:
    """Return red, green and blue, 0–255."""
    return colour.red(), colour.green(), colour.blue()
