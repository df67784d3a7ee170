"""The colour scale of heat maps: the accent's hue, from the ground to what stands out from it."""

from functools import cache

import numpy as np
from PySide6.QtGui import QColor

from studio.arrays import AnyArray, Floats
from studio.gui.base import theme

_HUE, _CHROMA = np.radians(249.0), 0.115
"""Of the accent, in OKLCh."""

_LIGHT, _DARK = (0.95, 0.36), (0.30, 0.94)
"""Lightness at both ends, on a light and on a dark ground: more is always farther from it."""

_TO_LMS = np.array(
    [
        [1.0, 0.3963377774, 0.2158037573],
        [1.0, -0.1055613458, -0.0638541728],
        [1.0, -0.0894841775, -1.2914855480],
    ]
)
_TO_RGB = np.array(
    [
        [4.0767416621, -3.3077115913, 0.2309699292],
        [-1.2684380046, 2.6097574011, -0.3413193965],
        [-0.0041960863, -0.7034186147, 1.7076147010],
    ]
)
"""From OKLab (Ottosson 2020), in which equal steps look equal, over cones to linear sRGB."""


def scale_table() -> AnyArray:
    """Return the scale in the theme in force as RGB bytes, shape (256, 3), from low to high."""
    return _table(theme.current().is_dark)


@cache
def _table(dark: bool) -> AnyArray:
    lightness = np.linspace(*(_DARK if dark else _LIGHT), 256)
    # Near white and black there are no strong colours.
    chroma = _CHROMA * (1.0 - (2.0 * lightness - 1.0) ** 2)
    return _bytes(np.stack([lightness, chroma * np.cos(_HUE), chroma * np.sin(_HUE)], axis=1))


def _bytes(oklab: Floats) -> AnyArray:
    linear = np.clip((oklab @ _TO_LMS.T) ** 3 @ _TO_RGB.T, 0.0, 1.0)
    seen = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    made: AnyArray = np.round(255 * seen).astype(np.uint8)
    return made


def scale_colour(share: float) -> QColor:
    """Return the heat map's colour at a share in [0, 1] of its scale."""
    red, green, blue = scale_table()[_place(share)]
    return QColor(int(red), int(green), int(blue))


def on_scale(share: float) -> QColor:
    """Return the colour of text that can be read on the heat map at ``share``; NaN: on none."""
    if np.isnan(share):
        return QColor(theme.current().text)
    return QColor(_text_colours(theme.current().is_dark)[_place(share)])


@cache
def _text_colours(dark: bool) -> list[str]:
    part = _table(dark) / 255.0
    linear = np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)
    luminance = linear @ [0.2126, 0.7152, 0.0722]
    # Whichever has more contrast (WCAG 2): white 1.05 / (l + 0.05), black (l + 0.05) / 0.05.
    bright = (luminance + 0.05) ** 2 > 1.05 * 0.05
    return [theme.BLACK if each else theme.WHITE for each in bright]


def _place(share: float) -> int:
    return round(255 * min(max(share, 0.0), 1.0))
