"""Themed pyqtgraph canvas: axes, pens and ranges, without pyqtgraph's menus."""

import math
import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyqtgraph
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QGraphicsScene

from studio.figures.axes import spread_positions
from studio.figures.figure import LineEnd
from studio.gui.base import theme
from studio.gui.base.inks import get_colour
from studio.language import localise_display
from studio.numerals import NumeralFormat, format_decade

_MIN_TICK_GAP = 12
"""Gap between adjacent numbers in pixels."""

_MIN_TICK_SPACING = 46, 34
"""Minimum distance of numbers in pixels: along the bottom, and vertically."""

_MAX_DIGITS = 4
"""Maximum number of digits, if two such numbers fit."""

_ROUND_FACTORS = (1, 2, 5)


class NumberAxis(pyqtgraph.AxisItem):  # type: ignore[misc]
    """An axis with numbers in the current language.

    Only round steps with sufficient space are labelled, so that numbers never touch; grid lines
    between them are unlabelled.

    Attributes:
        has_integers: Whether values are counts: no labels between integers.
        max_tick: The largest labelled value.
    """

    def __init__(self, side: str) -> None:
        super().__init__(side)
        self.has_integers = False
        self.max_tick = math.inf
        self._overhang = 0
        self.enableAutoSIPrefix(False)
        # A third level of ticks is hardly visible, but the most expensive part of painting an axis.
        self.setStyle(maxTickLevel=1, maxTextLevel=0)

    def set_overhang(self, pixels: int) -> None:
        """Allow texts to exceed the ends by this many pixels; ticks further out are dropped."""
        if pixels != self._overhang:
            self.prepareGeometryChange()
            self._overhang = pixels

    def boundingRect(self) -> QRectF:
        rect: QRectF = super().boundingRect()
        return rect.adjusted(-self._overhang, 0, self._overhang, 0)

    def tickValues(
        self, minVal: float, maxVal: float, size: float
    ) -> list[tuple[float | None, list[float]]]:
        """Return the spacings with the positions of their ticks, none above ``max_tick``."""
        levels = super().tickValues(minVal, maxVal, size)
        visible = [
            (step, [value for value in values if value <= self.max_tick]) for step, values in levels
        ]
        # A single number does not show the scale, and numbers beyond the axis are not drawn.
        step, values = visible[0] if visible else (None, [])
        if not self.logMode and len(self._drop_clipped(values, step, minVal, maxVal, size)) < 2:
            pair = self._choose_two_numbers(minVal, maxVal, size)
            visible = pair + visible[1:] if pair else visible
        return visible

    def _drop_clipped(
        self, values: list[float], step: float | None, low: float, high: float, size: float
    ) -> list[float]:
        """Return the values whose texts are within the axis."""
        if not values:
            return []
        metrics = QFontMetricsF(theme.font(theme.SMALL))
        half = metrics.height() / 2
        if self._is_horizontal:
            texts = self._format_linear(values, step or 1.0)
            half = max(map(metrics.horizontalAdvance, texts)) / 2 - self._overhang
        pixel = (high - low) / max(size, 1.0)
        return [v for v in values if low + half * pixel <= v <= high - half * pixel]

    def _choose_two_numbers(
        self, low: float, high: float, size: float
    ) -> list[tuple[float | None, list[float]]]:
        """Return the first and last multiple of the largest step of which two labels fit."""
        span = high - low
        if not span > 0 or not math.isfinite(span):
            return []
        power = math.floor(math.log10(span))
        for exponent in range(power, power - 3, -1):
            for factor in reversed(_ROUND_FACTORS):
                step = factor * 10.0**exponent
                numbers = range(
                    math.ceil(low / step), math.floor(min(high, self.max_tick) / step) + 1
                )
                values = [number * step for number in numbers]
                visible = self._drop_clipped(values, step, low, high, size)
                if len(visible) < 2 or (self.has_integers and step < 1):
                    continue
                ends = [visible[0], visible[-1]]
                distance = self._compute_min_distance(self._format_linear(ends, step))
                if size * (ends[1] - ends[0]) / span >= distance:
                    return [(step, ends)]
        return []

    def tickSpacing(self, minVal: float, maxVal: float, size: float) -> list[tuple[float, float]]:
        """Return the spacing of the numbers and that of the grid lines between them."""
        span = maxVal - minVal
        if not span > 0 or not math.isfinite(span):
            return []
        for step, finer in self._get_short_spacings(minVal, maxVal, size):
            outer_ticks = [math.ceil(minVal / step) * step, math.floor(maxVal / step) * step]
            if size * step / span >= self._compute_min_distance(
                self._format_linear(outer_ticks, step)
            ):
                return [(step, 0.0), (finer, 0.0)]
        return []

    def _get_short_spacings(
        self, low: float, high: float, size: float
    ) -> Iterator[tuple[float, float]]:
        """Yield spacings with few digits of which at least two numbers are in the range."""
        span, largest = high - low, max(abs(low), abs(high))
        steps = list(self._get_round_spacings(span, size))
        usable_steps = [each for each in steps if 2 * each[0] <= span]
        # Ticks of 5 need as many digits as ticks of 1.
        short_steps = [
            s for s in usable_steps if largest / 10.0 ** _get_exponent(s[0]) < 10**_MAX_DIGITS
        ]
        yield from short_steps or usable_steps[-1:]
        yield from steps[len(usable_steps) :]

    def _get_round_spacings(self, span: float, size: float) -> Iterator[tuple[float, float]]:
        """Yield round spacings in ascending order, each with its subdivision."""
        min_step = span / max(2.0, size / theme.pixels(_MIN_TICK_SPACING[not self._is_horizontal]))
        power = math.floor(math.log10(min_step))
        for exponent in range(12):
            factor, decimal = _ROUND_FACTORS[exponent % 3], 10.0 ** (power + exponent // 3)
            step, finer = factor * decimal, (decimal if factor > 1 else decimal / 2)
            if step >= min_step and (not self.has_integers or step >= 1):
                yield step, max(finer, 1.0) if self.has_integers else finer

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:
        if self.logMode:
            return self._format_decades(values)
        return self._format_linear(values, spacing * scale)

    def _format_linear(self, values: Sequence[float], step: float) -> list[str]:
        largest = max(map(abs, (*self.range, *values)), default=0.0)
        numerals = NumeralFormat.for_steps(largest, step)
        return [localise_display(numerals.format(value)) for value in values]

    def logTickValues(
        self, minVal: float, maxVal: float, size: float, stdTicks: Any
    ) -> list[tuple[float | None, list[float]]]:
        """Return the powers of ten that fit; over few decades, also their multiples by 2 and 5."""
        del stdTicks
        powers = np.arange(math.floor(minVal), math.ceil(maxVal) + 1)
        minor = [float(p + m) for p in powers for m in np.log10(np.arange(1, 10))]
        visible = [each for each in minor if minVal <= each <= maxVal]
        return [(None, self._choose_values(minVal, maxVal, size)), (None, visible)]

    def _choose_values(self, low: float, high: float, size: float) -> list[float]:
        powers = range(math.floor(low), math.ceil(high) + 1)
        fine_values = [p + math.log10(m) for p in powers for m in _ROUND_FACTORS]
        thinned = [[float(p) for p in powers if p % n == 0] for n in (1, 2, 3, 5, 10, 20, 50)]
        for candidates in [fine_values, *thinned]:
            visible = [each for each in candidates if low <= each <= high]
            gaps = np.diff(visible) * size / (high - low)
            if len(visible) >= 2 and gaps.min() >= self._compute_min_distance(
                self._format_decades(visible)
            ):
                return visible
        visible = [each for each in fine_values if low <= each <= high]
        ends = [visible[0], visible[-1]] if len(visible) > 2 else visible
        texts = self._format_decades(ends)
        fits = len(ends) < 2 or np.diff(ends)[0] * size / (
            high - low
        ) >= self._compute_min_distance(texts)
        return ends if fits else ends[:1]

    def _format_decades(self, values: Sequence[float]) -> list[str]:
        low, high = (math.floor(each + 1e-9) for each in self.range)
        texts = []
        for value in values:
            power = math.floor(value + 1e-9)
            times = round(10.0 ** (value - power))
            texts.append(localise_display(format_decade(power, low, high, times)))
        return texts

    @property
    def _is_horizontal(self) -> bool:
        return self.orientation in ("bottom", "top")

    def _compute_min_distance(self, texts: Sequence[str]) -> float:
        """Return the minimum distance between the centres of texts, in pixels."""
        metrics = QFontMetricsF(theme.font(theme.SMALL))
        if not self._is_horizontal:
            return metrics.height()
        return max(map(metrics.horizontalAdvance, texts), default=0.0) + _MIN_TICK_GAP

    def measure_widest(self, low: float, high: float, size: float) -> float:
        """Return the width in pixels of a range's numbers next to an axis of this length."""
        levels = self.tickValues(low, high, max(size, 1.0))
        spacing, values = levels[0] if levels else (1.0, [])
        metrics = QFontMetricsF(theme.font(theme.SMALL))
        texts = self.tickStrings(values, 1.0, spacing or 1.0)
        return max(map(metrics.horizontalAdvance, texts), default=0.0)


def _get_exponent(step: float) -> int:
    return math.floor(math.log10(step) + 1e-9)


_LEADER_LENGTH = 14
"""Width of the line from a curve's end to its name."""

_NUMERIC_TEXT = re.compile(r"[\d.,\s]+")
"""The changing part of a curve's end label."""

_BOTTOM_AXIS_HEIGHT = 44
"""Height of the bottom axis of a panel with numbers and name, at a scale of 1."""

_LARGE_LABEL_HEIGHT = 200
"""Minimum height of a panel in pixels for large end labels."""


class _EndLabelAxis(pyqtgraph.AxisItem):  # type: ignore[misc]
    """A right axis that can label the ends of curves."""

    def __init__(self) -> None:
        super().__init__("right")
        self._ends: tuple[LineEnd, ...] = ()
        self._last_labels: object = None
        self.max_label_width = self._reserved_width = 0

    def set_end_labels(self, line_ends: Sequence[LineEnd], height: float) -> None:
        """Set the names for a panel of this height; for the same names the width only grows."""
        font = _get_label_font(height)
        names_key = font, frozenset(_NUMERIC_TEXT.sub("", end.text) for end in line_ends)
        self._ends = tuple(sorted(line_ends, key=lambda end: -end.y))
        if names_key != self._last_labels:
            self._last_labels, self.max_label_width = names_key, 0
        self.max_label_width = max(self.max_label_width, _get_max_width(line_ends, font))
        self._update_width()
        self.update()

    def reserve(self, pixels: int) -> None:
        """Reserve this width for the names, to match an adjacent plot."""
        self._reserved_width = pixels
        if self._ends:
            self._update_width()

    def _update_width(self) -> None:
        self.setWidth(max(self.max_label_width, self._reserved_width) + _LEADER_LENGTH + theme.GRID)

    def paint(self, painter: Any, option: Any, widget: Any) -> None:
        """Draw the names, each at the height of its curve if possible."""
        if not self._ends:
            super().paint(painter, option, widget)
            return
        box = self.linkedView()
        font = _get_label_font(box.height())
        half_height = QFontMetrics(font).height() / 2
        levels = [
            self.mapFromScene(box.mapViewToScene(QPointF(0.0, end.y))).y() for end in self._ends
        ]
        positions = spread_positions(
            levels, 2 * half_height, half_height, box.height() - half_height
        )
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(font)
        for end, level, position in zip(self._ends, levels, positions, strict=True):
            painter.setPen(QPen(get_colour(end.ink), 1))
            painter.drawLine(QPointF(1, level), QPointF(_LEADER_LENGTH - 4, position))
            area = QRectF(_LEADER_LENGTH, position - half_height, self.width(), 2 * half_height)
            painter.drawText(area, Qt.AlignmentFlag.AlignVCenter, end.text)


def compute_label_width(line_ends: Sequence[LineEnd], height: float) -> int:
    """Return the width in pixels of the end labels of a panel of this height."""
    return _get_max_width(line_ends, _get_label_font(height)) + _LEADER_LENGTH + theme.GRID


def compute_drawing_width(width: int, line_ends: Sequence[LineEnd], height: float) -> int:
    """Return the width in pixels between numbers and end labels on a canvas of this size."""
    labels = compute_label_width(line_ends, height) if line_ends else 0
    return max(0, width - compute_left_width() - labels - RIGHT_MARGIN)


def count_fitting_labels(height: float) -> int:
    """Return the number of end labels that fit next to a canvas of a height in pixels."""
    metrics = QFontMetrics(_get_label_font(height))
    return int((height - theme.pixels(_BOTTOM_AXIS_HEIGHT)) // metrics.height())


def _get_max_width(line_ends: Sequence[LineEnd], font: QFont) -> int:
    return max((QFontMetrics(font).horizontalAdvance(end.text) for end in line_ends), default=0)


def _get_label_font(height: float) -> QFont:
    is_large = height >= theme.pixels(_LARGE_LABEL_HEIGHT)
    return theme.font(theme.LARGE if is_large else theme.SMALL, bold=True)


class PaintedDots(pyqtgraph.ScatterPlotItem):  # type: ignore[misc]
    """Symbols at points.

    Qt queries each item's bounds several times per paint. pyqtgraph recomputes them each time,
    which takes longer than painting hundreds of symbols; here they are cached until the symbols or
    the view changes.
    """

    def __init__(self, **options: Any) -> None:
        self._bounds: QRectF | None = None
        super().__init__(**options)

    def boundingRect(self) -> QRectF:
        if self._bounds is None:
            self._bounds = super().boundingRect()
        return self._bounds

    def addPoints(self, *points: Any, **options: Any) -> None:
        super().addPoints(*points, **options)
        self._bounds = None

    def clear(self) -> None:
        super().clear()
        self._bounds = None

    def updateSpots(self, dataSet: Any = None) -> None:
        super().updateSpots(dataSet)
        self._bounds = None

    def viewTransformChanged(self) -> None:
        """Update the bounds, which depend on the view's scale."""
        super().viewTransformChanged()
        self._bounds = None

    def paint(self, *args: Any) -> None:
        """Paint the symbols, if any; pyqtgraph would be slow even without any."""
        if len(self.data):
            super().paint(*args)


pyqtgraph.setConfigOptions(antialias=True)

LABEL_PIXELS = 14
"""Height of a row's name on an axis."""

_MIN_LEFT_WIDTH = 62

MIN_FULL_HEIGHT = 165

RIGHT_MARGIN = 8
"""Margin in pixels at the right of all axes."""


def make_canvas() -> Any:
    """Return an empty pyqtgraph layout for rows of axes."""
    canvas = pyqtgraph.GraphicsLayoutWidget()
    canvas.ci.layout.setContentsMargins(0, 4, RIGHT_MARGIN, 0)
    canvas.ci.layout.setVerticalSpacing(8)
    canvas.setFrameShape(canvas.Shape.NoFrame)
    canvas.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    # Each update moves most of the few items: a spatial index would never be reused.
    canvas.scene().setItemIndexMethod(QGraphicsScene.ItemIndexMethod.NoIndex)
    return canvas


def apply_ranges(canvas: Any) -> None:
    """Apply ranges immediately, as pyqtgraph waits for the next paint and then paints twice."""
    canvas.scene().prepareForPaint()


def set_vector_painting(canvas: Any, enabled: bool) -> None:
    """Switch between vector painting for export and cached painting for the screen."""
    cached = canvas.CacheModeFlag
    canvas.setCacheMode(cached.CacheNone if enabled else cached.CacheBackground)
    for item in canvas.scene().items():
        if isinstance(item, PaintedDots):
            item.setExportMode(enabled, {})


def add_axes(canvas: Any, row: int, column: int = 0) -> Any:
    """Add a plot without buttons and menus to a canvas; the wheel zooms, dragging pans."""
    sides = {"left": NumberAxis("left"), "bottom": NumberAxis("bottom"), "right": _EndLabelAxis()}
    axes = canvas.addPlot(row=row, col=column, axisItems=sides)
    axes.hideAxis("right")
    axes.hideButtons()
    axes.setMenuEnabled(False)
    axes.getViewBox().setDefaultPadding(0.0)
    axes.getAxis("left").setStyle(autoExpandTextSpace=False)
    axes.getAxis("left").setWidth(compute_left_width())
    return axes


def limit_view(
    box: Any, x_range: tuple[float, float], y_range: tuple[float, float] | None = None
) -> None:
    """Let the wheel and the mouse show nothing beyond these ranges."""
    box.setLimits(xMin=x_range[0], xMax=x_range[1])
    if y_range is not None:
        box.setLimits(yMin=y_range[0], yMax=y_range[1])


def extend_column(box: Any, x_range: tuple[float, float]) -> None:
    """Show a wider range of x in a panel, and in those above and below, whose x is the same."""
    top = box.linkedView(0) or box
    boxes = [axes.getViewBox() for axes in box.getViewWidget().ci.items]
    column = [each for each in boxes if each is top or each.linkedView(0) is top]
    # Before any range, as a panel's limits would cut the range that it takes from the top one.
    for each in column:
        if any(each.mouseEnabled()):
            limit_view(each, x_range)
    for each in column:
        each.setXRange(*x_range, padding=0)


def compute_left_width() -> int:
    """Return the minimum width of left axes, so that plots in a column align."""
    return theme.pixels(_MIN_LEFT_WIDTH)


def apply_canvas_theme(canvas: Any) -> None:
    """Apply the theme's background to a canvas."""
    canvas.setBackground(QColor(theme.current().surface))


def compute_row_label_step(axes: Any, n_rows: int, scale: float = 1.0) -> int:
    """Return n such that every n-th of these rows can be named in type of this scale."""
    n_labels = max(1, int(axes.getViewBox().height() / scale) // theme.pixels(LABEL_PIXELS))
    return max(1, -(-n_rows // n_labels))


def count_named_rows(canvas: Any) -> int:
    """Return the number of names that fit vertically on a canvas of one panel."""
    bottom = theme.pixels(2.6 * theme.SMALL) + 8
    return max(0, int(canvas.height() - bottom) // theme.pixels(LABEL_PIXELS))
