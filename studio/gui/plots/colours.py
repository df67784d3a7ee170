"""Colours that mean something in plots: one a branch, and the scale of a heat map."""

from collections.abc import Sequence

import numpy as np
from PySide6.QtGui import QColor

from studio.arrays import AnyArray
from studio.gui.base.theme import Theme

SINGLE, ENSEMBLE = 0, 5
"""Places in ``Theme.series`` of the best single model and of the ensemble, in every plot."""

CHOICE = 7
"""Place of the choice by the surrogate's posterior mean."""

OVERLAYS = (2, 3, 1, 4, 6)
"""Places in ``Theme.series`` of the runs laid over the one looked at, in their order."""

_CIVIDIS = (
    (0, 34, 78),
    (18, 53, 112),
    (59, 73, 108),
    (87, 93, 109),
    (112, 113, 115),
    (138, 134, 120),
    (165, 156, 116),
    (195, 179, 105),
    (225, 204, 85),
    (254, 232, 56),
)
"""Cividis at ten places (Nuñez, Anderton and Renslow 2018): even to every kind of colour vision."""


def overlay_colour(place: int, theme: Theme) -> QColor:
    """Return the colour of the run laid over the others as number ``place``, counted from 0."""
    return QColor(theme.series[OVERLAYS[place % len(OVERLAYS)]])


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


def scale_table(levels: int = 256) -> AnyArray:
    """Return the heat map's scale as RGB bytes, shape (levels, 3), from low to high."""
    places = np.linspace(0, 1, len(_CIVIDIS))
    wanted = np.linspace(0, 1, levels)
    table = np.array(_CIVIDIS, dtype=float)
    return np.column_stack(
        [np.interp(wanted, places, table[:, channel]) for channel in range(3)]
    ).astype(np.uint8)


def scale_colour(share: float) -> QColor:
    """Return the heat map's colour at a share in [0, 1] of its scale."""
    red, green, blue = scale_table()[round(255 * min(max(share, 0.0), 1.0))]
    return QColor(int(red), int(green), int(blue))


def on_scale(share: float) -> QColor:
    """Return the colour of text that can be read on the heat map at ``share``."""
    return QColor("#ffffff") if share < 0.55 else QColor("#10151c")
