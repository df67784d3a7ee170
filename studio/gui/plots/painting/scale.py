"""Colour scale of heat maps, and its colour bar with the limits."""

from functools import cache

import numpy as np
from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QLinearGradient, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QSizePolicy, QWidget

from studio.arrays import AnyArray, Floats
from studio.gui.base import theme
from studio.gui.base.tooltips import make_plain_tip
from studio.gui.plots.painting.legend import Legend
from studio.gui.widgets import kit
from studio.language import tr

_HUE, WARM_HUE, _CHROMA = 249.0, 55.0, 0.115
"""Hue in degrees, hue of errors, and chroma of the accent, in OKLCh."""

_LIGHT, _DARK = (0.95, 0.36), (0.27, 0.94)
"""Lightness at both ends, on light and dark backgrounds: higher values contrast more."""

_GREY, _CHROMA_RISE = 0.35, 1.3
"""On dark backgrounds, the share of the chroma at the low end, and its rise over the scale."""

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
"""From OKLab (Ottosson 2020), which is perceptually uniform, over cones to linear sRGB."""


def get_colour_table(hue: float = _HUE) -> AnyArray:
    """Return the current theme's scale as RGB bytes, shape (256, 3), from low to high."""
    return _compute_colour_table(theme.current().is_dark, hue)


@cache
def _compute_colour_table(dark: bool, hue: float) -> AnyArray:
    lightness = np.linspace(*(_DARK if dark else _LIGHT), 256)
    # Near white and black, chroma is limited.
    chroma = _CHROMA * (1.0 - (2.0 * lightness - 1.0) ** 2)
    if dark:
        # Low values are nearly as grey as the background.
        chroma *= np.minimum(1.0, np.linspace(_GREY, _GREY + _CHROMA_RISE, 256))
    return _to_rgb_bytes(
        np.stack(
            [lightness, chroma * np.cos(np.radians(hue)), chroma * np.sin(np.radians(hue))], axis=1
        )
    )


def _to_rgb_bytes(oklab: Floats) -> AnyArray:
    linear = np.clip((oklab @ _TO_LMS.T) ** 3 @ _TO_RGB.T, 0.0, 1.0)
    srgb = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    rgb_bytes: AnyArray = np.round(255 * srgb).astype(np.uint8)
    return rgb_bytes


def get_scale_colour(share: float) -> QColor:
    """Return the heat map's colour at a position in [0, 1] on its scale."""
    red, green, blue = get_colour_table()[_get_colour_index(share)]
    return QColor(int(red), int(green), int(blue))


def get_text_colour_on_scale(share: float, *, is_warm: bool = False) -> QColor:
    """Return a legible text colour on the heat map at ``share``; NaN: outside of cells."""
    if np.isnan(share):
        return QColor(theme.current().text)
    colours = _compute_text_colours(theme.current().is_dark, WARM_HUE if is_warm else _HUE)
    return QColor(colours[_get_colour_index(share)])


def get_text_colour_on_fill(fill: QColor) -> QColor:
    """Return a legible text colour on an opaque colour."""
    return QColor(_choose_text_colours(np.array([[fill.red(), fill.green(), fill.blue()]]))[0])


@cache
def _compute_text_colours(dark: bool, hue: float) -> list[str]:
    return _choose_text_colours(_compute_colour_table(dark, hue))


def _choose_text_colours(fills: AnyArray) -> list[str]:
    """Return black or white for each colour, shape (n, 3) of 0 to 255."""
    part = fills / 255.0
    linear = np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)
    luminance = linear @ [0.2126, 0.7152, 0.0722]
    # White wherever it is legible (WCAG 2: 4.5 : 1). Black of slightly higher contrast by that
    # formula, as on a medium blue, is harder to read.
    is_bright = 1.05 / (luminance + 0.05) < _MIN_CONTRAST
    return [theme.BLACK if each else theme.WHITE for each in is_bright]


_MIN_CONTRAST = 4.5
"""Minimum contrast of text and background (WCAG 2, AA)."""


def _get_colour_index(share: float) -> int:
    return round(255 * min(max(share, 0.0), 1.0))


_NAME_GAP, _GRADIENT_GAP = 12, 6
"""Gaps after the name, and between gradient and limits."""

_MAX_GRADIENT_WIDTH, _MIN_GRADIENT_WIDTH = 140, 32
"""Maximum and minimum length of the gradient; at the minimum, the name is elided."""


class ScaleBar(QWidget):
    """Paints "name low ▁▂▃ high"; the gradient shrinks if space is scarce."""

    def __init__(self) -> None:
        super().__init__()
        self._texts = ("", "", "")
        theme.set_font_size(self, theme.SMALL)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def show_scale(self, name: str, low: str, high: str) -> None:
        """Set the name and the limits."""
        self._texts = (name, low, high)
        text = tr("{name}: from {low} to {high}", name=name, low=low, high=high)
        self.setAccessibleDescription(text)
        self.setToolTip(make_plain_tip(text))
        self.updateGeometry()
        self.update()

    @property
    def compute_min_width(self) -> int:
        """Minimum width for all of its texts."""
        width = sum(map(self.fontMetrics().horizontalAdvance, self._texts))
        return width + _NAME_GAP + 2 * _GRADIENT_GAP + 2 + _MIN_GRADIENT_WIDTH

    def sizeHint(self) -> QSize:
        """Return one row with a gradient of maximum length."""
        width = self.compute_min_width - _MIN_GRADIENT_WIDTH + _MAX_GRADIENT_WIDTH
        return QSize(width, self.fontMetrics().height() + 4)

    def paintEvent(self, event: QPaintEvent) -> None:
        del event
        metrics = self.fontMetrics()
        name, low, high = self._texts
        limits_width = metrics.horizontalAdvance(low) + metrics.horizontalAdvance(high)
        available = self.width() - limits_width - _NAME_GAP - 2 * _GRADIENT_GAP
        name = metrics.elidedText(
            name, Qt.TextElideMode.ElideRight, max(0, available - _MIN_GRADIENT_WIDTH)
        )
        length = min(
            _MAX_GRADIENT_WIDTH,
            max(_MIN_GRADIENT_WIDTH, available - metrics.horizontalAdvance(name)),
        )
        painter = QPainter(self)
        painter.setPen(QColor(theme.current().text))
        left = 0.0
        for text, gap in ((name, _NAME_GAP), (low, _GRADIENT_GAP)):
            left = self._draw_text(painter, text, left) + gap
        thick = round(0.6 * metrics.height())
        bar = QRectF(left, (self.height() - thick) / 2, length, thick)
        gradient = QLinearGradient(bar.topLeft(), bar.topRight())
        for stop in range(11):
            gradient.setColorAt(stop / 10, get_scale_colour(stop / 10))
        painter.fillRect(bar, gradient)
        self._draw_text(painter, high, left + length + _GRADIENT_GAP)
        painter.end()

    def _draw_text(self, painter: QPainter, text: str, left: float) -> float:
        width = self.fontMetrics().horizontalAdvance(text)
        area = QRectF(left, 0, width + 2, self.height())
        painter.drawText(area, Qt.AlignmentFlag.AlignVCenter, text)
        return left + width


class LegendWithScale(QWidget):
    """A legend and a scale in one row, or stacked if the scale would be cut."""

    def __init__(self, legend: Legend, scale: ScaleBar) -> None:
        super().__init__()
        self._legend, self._scale = legend, scale
        scale.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self._row = kit.row(
            (legend, 1, Qt.AlignmentFlag.AlignTop),
            (scale, 0, Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft),
            parent=self,
            spacing=2 * theme.GRID,
        )

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit()

    def fit(self) -> None:
        """Update the layout after the legend appeared or disappeared."""
        available = self.width()
        scale_width = max(
            available // 2, available - self._legend.single_row_width - 2 * theme.GRID
        )
        is_stacked = not self._legend.isHidden() and self._scale.compute_min_width > scale_width
        direction = QBoxLayout.Direction
        self._row.setDirection(direction.TopToBottom if is_stacked else direction.LeftToRight)
        self._row.setSpacing(0 if is_stacked else 2 * theme.GRID)
        self._scale.setMaximumWidth(
            available if is_stacked or self._legend.isHidden() else scale_width
        )
