"""An axis on which a range is displayed and dragged."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from studio.arrays import Floats
from studio.gui.base import theme
from studio.gui.base.theme import GRID
from studio.gui.base.tooltips import make_plain_tip
from studio.gui.pages.space.edits import FIELD_NAMES
from studio.gui.pages.space.formatting import format_short_number
from studio.gui.widgets import kit
from studio.language import N_, tr
from studio.space.ranges import MAX_FLOAT, MAX_INTEGER, Float, Integer

Handle = Literal["low", "default", "high"]
HANDLES: tuple[Handle, ...] = ("low", "default", "high")

MARGIN = 0.12
"""Share of the axis left free on either side, so that both ends can be dragged outwards."""

_MAX_DIGITS = 12
_MAX_TICKS = 7


@dataclass(frozen=True)
class RangeAxis:
    """A valid range, ``log`` if values are sampled on a log scale (log-uniform), with its axis."""

    low: float
    high: float
    default: float
    log: bool
    is_integer: bool
    start: float
    end: float
    log_axis: bool

    # ---- positions

    def to_position(self, value: float) -> float:
        """Return the position of a value, from 0 (left) to 1."""
        start, end = self._to_scale(self.start), self._to_scale(self.end)
        return (self._to_scale(value) - start) / (end - start)

    def to_value(self, position: float) -> float:
        """Return the value at a position."""
        start, end = self._to_scale(self.start), self._to_scale(self.end)
        scaled = start + position * (end - start)
        return math.exp(scaled) if self.log_axis else scaled

    def _to_scale(self, value: float) -> float:
        return math.log(max(value, 1e-300)) if self.log_axis else value

    def round_position(self, position: float, tolerance: float) -> float:
        """Return the number with the fewest digits within ``tolerance`` of a position."""
        target = self.to_value(position)
        if self.is_integer:
            return float(round(target))
        for digits in range(1, _MAX_DIGITS):
            number = float(f"{target:.{digits - 1}e}")
            is_valid = number > 0 or not self.log_axis
            if is_valid and abs(self.to_position(number) - position) <= tolerance:
                return number
        # Near zero, a relative precision is never sufficient.
        is_zero = not self.log_axis and abs(self.to_position(0.0) - position) <= tolerance
        return 0.0 if is_zero else target

    # ---- dragging

    def drag_handle(self, handle: Handle, position: float, tolerance: float) -> "RangeAxis":
        """Return the range after dragging a handle to a position.

        An end stops at the other end, the default at both; an end pushes the default along.
        """
        value = self.round_position(min(max(position, 0.0), 1.0), tolerance)
        low, high, default = self.low, self.high, self.default
        if handle == "default":
            return replace(self, default=min(max(value, low), high))
        largest = float(MAX_INTEGER) if self.is_integer else MAX_FLOAT
        if handle == "low":
            floor = (1.0 if self.is_integer else 1 / largest) if self.log else -largest
            low = min(max(value, floor), high)
        else:
            high = max(min(value, largest), low)
        return replace(self, low=low, high=high, default=min(max(default, low), high))

    # ---- drawing

    def make_ticks(self) -> list[tuple[float, str]]:
        """Return positions and texts of the ticks, left to right."""
        numbers = (_list_decades if self.log_axis else _space_evenly)(self.start, self.end)
        return [
            (self.to_position(number), format_short_number(number))
            for number in numbers
            if not self.is_integer or number.is_integer()
        ]

    def compute_density(self) -> tuple[Floats, Floats]:
        """Return positions in the range and the prior's density, at most 1, shape (points,) each.

        On the scale of sampling, the density is flat. A log range on a linear axis falls as 1/x; a
        linear range on a log axis rises with x, as nearly all draws are in the last decade.
        """
        places = np.linspace(self.to_position(self.low), self.to_position(self.high), 120)
        if self.log == self.log_axis:
            return places, np.ones(len(places))
        values = np.array([self.to_value(position) for position in places.tolist()])
        heights = 1.0 / np.maximum(values, 1e-300) if self.log else values / values.max()
        # Clip a few peaks that would flatten the rest.
        peak = np.sort(heights)[-7]
        return places, np.minimum(heights / peak, 1.0)


def make_range_axis(parameter: Float | Integer, log_axis: bool | None = None) -> RangeAxis | None:
    """Lay out a range on an axis; ``None`` if it is invalid.

    ``log_axis``: whether the axis is logarithmic, if the range excludes zero; by default as the
    range's scale.
    """
    if any(problem.severity == "error" for problem in parameter.find_local_problems()):
        return None
    low, high = float(parameter.low), float(parameter.high)
    is_integer = isinstance(parameter, Integer)
    log = low > 0 and (parameter.log if log_axis is None else log_axis)
    margin = MARGIN / (1 - 2 * MARGIN)
    if log:
        first, last = math.log(low), math.log(high)
        margin = max((last - first) * margin, math.log(1 + 1.5 / high) if is_integer else 0.2)
        start, end = math.exp(first - margin), math.exp(last + margin)
    else:
        single = max(abs(high) * 0.1, 1e-12) if high == low else 0.0
        margin = max((high - low) * margin, 1.0 if is_integer else single)
        start, end = low - margin, high + margin
        if parameter.log:
            # A log range cannot be dragged to zero, so values beyond need not be shown.
            start = max(start, 0.0)
    return RangeAxis(
        low, high, float(parameter.default), parameter.log, is_integer, start, end, log
    )


def _list_decades(start: float, end: float) -> list[float]:
    first, last = math.ceil(math.log10(start) - 1e-9), math.floor(math.log10(end) + 1e-9)
    if last - first < 2:
        candidates = [m * 10.0**k for k in range(first - 1, last + 1) for m in (1, 2, 5)]
        return [float(f"{number:.1g}") for number in candidates if start <= number <= end]
    step = -(-(last - first + 1) // _MAX_TICKS)
    return [float(f"1e{k}") for k in range(first, last + 1) if k % step == 0]


def _space_evenly(start: float, end: float) -> list[float]:
    raw_step = (end - start) / (_MAX_TICKS - 1)
    power = 10.0 ** math.floor(math.log10(raw_step))
    step = next(m * power for m in (1, 2, 5, 10) if m * power >= raw_step)
    first = math.ceil(start / step - 1e-9)
    count = math.floor(end / step + 1e-9) - first + 1
    return [float(f"{(first + k) * step:.6g}") for k in range(count)]


_SIDE_MARGIN, _GRIP_RADIUS = 10, 12


class RangeAxisView(QWidget):
    """Draws a range with its prior; both ends and the default can be dragged.

    ``on_change`` is called with ``low``, ``high`` and ``default`` when a drag ends.
    """

    def __init__(self, on_change: Callable[[float, float, float], object]) -> None:
        super().__init__()
        self._on_change = on_change
        self.axis: RangeAxis | None = None
        self._parameter: Float | Integer | None = None
        self._is_log_axis: bool | None = None
        self.handle: Handle = "low"
        self._dragging = False
        self._hovered: Handle | None = None
        tip = tr("The shaded area shows how likely values are before any trial, on either axis")
        self.link = kit.button("", self.switch_scale, kind="link", tip=tip)
        self.link.setParent(self)  # otherwise it would be a separate window until its layout
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(tr("Range on an axis"))

    # ---- content

    def show_range(self, parameter: Float | Integer, *, fresh: bool = False) -> None:
        """Show a range; a drag in progress continues, unless the row has changed."""
        if fresh:
            self._dragging = False
        elif self._dragging:
            return
        if fresh or self._parameter is None or parameter.log != self._parameter.log:
            self._is_log_axis = None
        self._parameter = parameter
        self.axis = make_range_axis(parameter, self._is_log_axis)
        self._describe()
        self.update()

    def switch_scale(self) -> None:
        """Draw the same range on a linear axis instead of a logarithmic one, or conversely."""
        self.finish()
        if self.axis is not None and self._parameter is not None:
            self._is_log_axis = not self.axis.log_axis
            self.axis = make_range_axis(self._parameter, self._is_log_axis)
            self._describe()
            self.update()

    def finish(self) -> None:
        """Commit the drag now."""
        axis, parameter = self.axis, self._parameter
        if axis is None or parameter is None:
            return
        values = (axis.low, axis.high, axis.default)
        if values != (parameter.low, parameter.high, parameter.default):
            self._on_change(*values)

    def _describe(self) -> None:
        axis = self.axis
        self.link.setVisible(axis is not None and axis.low > 0)
        if axis is None:
            text = tr("The axis reappears once the range is corrected.")
        else:
            log = N_("Draw a linear axis") if axis.log_axis else N_("Draw a log axis")
            self.link.setText(tr(log))
            self.link.setAccessibleName(tr(log))
            text = tr(
                "From {low} to {high}, default {default}. Drag the ends or the default, or type "
                "them above.",
                low=format_short_number(axis.low),
                high=format_short_number(axis.high),
                default=format_short_number(axis.default),
            )
        self.setToolTip(make_plain_tip(text))
        self.setAccessibleDescription(text)

    # ---- geometry

    def sizeHint(self) -> QSize:
        """Return the height of curve, labels and ticks."""
        return QSize(240, self._get_baseline() + self._get_line_height() + GRID)

    def minimumSizeHint(self) -> QSize:
        return QSize(160, self.sizeHint().height())

    def _get_line_height(self) -> int:
        return theme.font(theme.SMALL).pixelSize() + 4

    def _get_bar_height(self) -> int:
        return theme.pixels(34)

    def _get_baseline(self) -> int:
        return self._get_line_height() + 2 + self._get_bar_height()

    def _get_axis_width(self) -> float:
        return max(1.0, self.width() - 2.0 * _SIDE_MARGIN)

    def _to_x(self, position: float) -> float:
        return _SIDE_MARGIN + position * self._get_axis_width()

    def _to_position(self, x: float) -> float:
        return (x - _SIDE_MARGIN) / self._get_axis_width()

    def get_handle_x(self, handle: Handle) -> float:
        """Return a handle's x coordinate in pixels."""
        assert self.axis is not None
        return self._to_x(self.axis.to_position(getattr(self.axis, handle)))

    def _find_nearest_handle(self, point: QPointF) -> Handle:
        """Return the handle nearest to a point: below the line the default, above it an end."""
        below_line = point.y() > self._get_baseline() - _GRIP_RADIUS / 2
        order: tuple[Handle, ...] = HANDLES if not below_line else ("default", "low", "high")
        distances = {each: abs(self.get_handle_x(each) - point.x()) for each in order}
        # If both ends coincide, choose the one that can still move.
        if distances["low"] == distances["high"] < _GRIP_RADIUS and not below_line:
            return "low" if point.x() < self.get_handle_x("low") else "high"
        return min(distances, key=lambda each: round(distances[each] / _GRIP_RADIUS))

    # ---- mouse and keys

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self.axis is None or event.button() != Qt.MouseButton.LeftButton:
            return
        self.finish()
        self.handle = self._find_nearest_handle(event.position())
        self._dragging = True
        self.update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Drag, or set the cursor over a handle."""
        if self.axis is None:
            return
        if self._dragging:
            self._move_handle(self._to_position(event.position().x()))
            return
        nearest = self._find_nearest_handle(event.position())
        is_near = abs(self.get_handle_x(nearest) - event.position().x()) <= _GRIP_RADIUS
        self.setCursor(Qt.CursorShape.SizeHorCursor if is_near else Qt.CursorShape.ArrowCursor)
        self._hovered = nearest if is_near else None
        self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._dragging = False
        self.finish()
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._hovered = None
        self.update()

    def _move_handle(self, position: float) -> None:
        assert self.axis is not None
        self.axis = self.axis.drag_handle(self.handle, position, 0.75 / self._get_axis_width())
        self.update()

    # ---- drawing

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the prior's density, the ticks and the three handles."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(theme.font(theme.SMALL))
        tokens = theme.current()
        if self.axis is None:
            painter.setPen(QColor(tokens.muted))
            flags = int(Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap)
            painter.drawText(self.rect(), flags, self.accessibleDescription())
            return
        baseline = self._get_baseline()
        self._paint_prior(painter, self.axis, baseline)
        painter.setPen(QPen(QColor(tokens.border), 1))
        painter.drawLine(
            QPointF(_SIDE_MARGIN, baseline), QPointF(self.width() - _SIDE_MARGIN, baseline)
        )
        self._paint_ticks(painter, self.axis, baseline)
        for handle in HANDLES:
            self._paint_handle(painter, handle, baseline)
        self._paint_value(painter)

    def _paint_prior(self, painter: QPainter, axis: RangeAxis, baseline: float) -> None:
        tokens = theme.current()
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour(tokens.accent, 0.35 if tokens.is_dark else 0.2))
        bar_height = self._get_bar_height() - 6.0
        positions, heights = (each.tolist() for each in axis.compute_density())
        outline = zip([positions[0], *positions, positions[-1]], [0.0, *heights, 0.0], strict=True)
        points = [
            QPointF(self._to_x(position), baseline - bar_height * height)
            for position, height in outline
        ]
        painter.drawPolygon(QPolygonF(points))

    def _paint_ticks(self, painter: QPainter, axis: RangeAxis, baseline: float) -> None:
        tokens, metrics = theme.current(), painter.fontMetrics()
        next_free_x = -1e9
        for position, text in axis.make_ticks():
            x, text_width = self._to_x(position), metrics.horizontalAdvance(text)
            painter.setPen(QColor(tokens.border))
            painter.drawLine(QPointF(x, baseline), QPointF(x, baseline + 4))
            left = min(max(x - text_width / 2, 0.0), self.width() - text_width)
            if left > next_free_x:
                painter.setPen(QColor(tokens.muted))
                rect = QRectF(left, baseline + 8, text_width + 1, self._get_line_height())
                painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, text)
                next_free_x = left + text_width + 8

    def _paint_handle(self, painter: QPainter, handle: Handle, baseline: float) -> None:
        tokens, x = theme.current(), self.get_handle_x(handle)
        is_active = handle == self.handle and self._dragging
        painter.setPen(QPen(QColor(tokens.text if is_active else tokens.surface), 1.5))
        painter.setBrush(QColor(tokens.accent if handle != "default" else tokens.text))
        if handle == "default":
            half = 6.0
            diamond = [(0, -half), (half, 0), (0, half), (-half, 0)]
            painter.drawPolygon(QPolygonF([QPointF(x + dx, baseline + dy) for dx, dy in diamond]))
        else:
            tall = self._get_bar_height()
            painter.drawRoundedRect(
                QRectF(x - 3.5, baseline - tall, 7, tall + 4), theme.MARK, theme.MARK
            )

    def _paint_value(self, painter: QPainter) -> None:
        """Draw the value of the active handle above it."""
        handle = self.handle if self._dragging or self._hovered is None else self._hovered
        if self.axis is None or not (self._dragging or self._hovered):
            return
        text = f"{tr(FIELD_NAMES[handle])} {format_short_number(getattr(self.axis, handle))}"
        width = painter.fontMetrics().horizontalAdvance(text) + 2
        left = min(max(self.get_handle_x(handle) - width / 2, 0.0), max(0.0, self.width() - width))
        painter.setPen(QColor(theme.current().text))
        rect = QRectF(left, 0, width, self._get_line_height())
        painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, text)
