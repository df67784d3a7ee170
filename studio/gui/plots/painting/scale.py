"""The colour scale of heat maps."""

import numpy as np
from PySide6.QtGui import QColor

from studio.arrays import AnyArray
from studio.gui.base import theme

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


def scale_table() -> AnyArray:
    """Return the heat map's scale as RGB bytes, shape (256, 3), from low to high."""
    places = np.linspace(0, 1, len(_CIVIDIS))
    wanted = np.linspace(0, 1, 256)
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
    return QColor(theme.WHITE if share < 0.55 else theme.BLACK)
