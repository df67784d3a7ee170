"""The little axis on which a range is looked at and dragged."""

from collections.abc import Callable
from itertools import pairwise

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from studio.gui.base import theme
from studio.gui.base.theme import GRID
from studio.gui.base.tips import plain_tip
from studio.gui.pages.space.range_axis_model import HANDLES, Handle, RangeAxis, range_axis
from studio.gui.pages.space.texts import short_number
from studio.language import N_, tr
from studio.space.ranges import Float, Integer

_PAUSE_MILLISECONDS = 600
_SIDE, _GRIP = 10, 12
_NAMES: dict[Handle, str] = {
    "low": N_("smallest value"),
    "default": N_("default"),
    "high": N_("largest value"),
}


class RangeAxisView(QWidget):
    """Paints a range with its prior; both ends and the default are dragged or stepped.

    Args:
        taken: Called with ``low``, ``high`` and ``default`` when a drag ends, or stepping pauses:
            one edit for undo.
    """

    def __init__(self, taken: Callable[[float, float, float], object]) -> None:
        super().__init__()
        self._taken = taken
        self.axis: RangeAxis | None = None
        self._parameter: Float | Integer | None = None
        self._drawn_log: bool | None = None
        self.handle: Handle = "low"
        self._dragging = False
        self._hovered: Handle | None = None
        self._timer = QTimer(self, interval=_PAUSE_MILLISECONDS, singleShot=True)
        self._timer.timeout.connect(self.finish)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(tr("Range on an axis"))

    # ---- what is shown

    def show_range(self, parameter: Float | Integer, *, fresh: bool = False) -> None:
        """Show a range; what is being dragged is left alone, unless it is of another row."""
        if fresh:
            self._timer.stop()
            self._dragging = False
            self.handle = "low"
        elif self._unfinished:
            return
        if fresh or self._parameter is None or parameter.log != self._parameter.log:
            self._drawn_log = None
        self._parameter = parameter
        self.axis = range_axis(parameter, self._drawn_log)
        self._describe()
        self.update()

    @property
    def _unfinished(self) -> bool:
        """Whether it is being dragged or stepped."""
        return self._dragging or self._timer.isActive()

    def draw_log(self, drawn_log: bool) -> None:
        """Draw the same range on the other kind of axis."""
        self.finish()
        self._drawn_log = drawn_log
        if self._parameter is not None:
            self.axis = range_axis(self._parameter, drawn_log)
            self.update()

    def finish(self) -> None:
        """Take what was dragged or stepped, now."""
        self._timer.stop()
        axis, parameter = self.axis, self._parameter
        if axis is None or parameter is None:
            return
        now = (axis.low, axis.high, axis.default)
        if now != (parameter.low, parameter.high, parameter.default):
            self._taken(*now)

    def _describe(self) -> None:
        axis = self.axis
        if axis is None:
            words = tr("The axis comes back when the range is fixed.")
        else:
            words = tr(
                "From {low} to {high}, default {default}. Drag the ends or the default; with the "
                "keys, up and down choose one of the three, left and right move it.",
                low=short_number(axis.low),
                high=short_number(axis.high),
                default=short_number(axis.default),
            )
        self.setToolTip(plain_tip(words))
        self.setAccessibleDescription(words)

    # ---- places

    def sizeHint(self) -> QSize:
        """Take the height of the curve, its labels and its ticks."""
        return QSize(240, self._top() + self._tall() + self._line() + GRID)

    def minimumSizeHint(self) -> QSize:
        """Stay readable."""
        return QSize(160, self.sizeHint().height())

    def _line(self) -> int:
        return theme.font(theme.SMALL).pixelSize() + 4

    def _top(self) -> int:
        return self._line() + 2

    def _tall(self) -> int:
        return theme.pixels(34)

    def _room(self) -> float:
        return max(1.0, self.width() - 2.0 * _SIDE)

    def _x(self, place: float) -> float:
        return _SIDE + place * self._room()

    def _place(self, x: float) -> float:
        return (x - _SIDE) / self._room()

    def handle_x(self, handle: Handle) -> float:
        """Return a handle's position, in pixels from the left."""
        assert self.axis is not None
        return self._x(self.axis.place(getattr(self.axis, handle)))

    def _nearest(self, at: QPointF) -> Handle:
        """Return the handle that is meant: below the line the default, above it an end."""
        low_part = at.y() > self._top() + self._tall() - _GRIP / 2
        order: tuple[Handle, ...] = HANDLES if not low_part else ("default", "low", "high")
        distances = {each: abs(self.handle_x(each) - at.x()) for each in order}
        # Where both ends lie upon each other, the one that can still move is taken.
        if distances["low"] == distances["high"] < _GRIP and not low_part:
            return "low" if at.x() < self.handle_x("low") else "high"
        return min(distances, key=lambda each: round(distances[each] / _GRIP))

    # ---- mouse and keys

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take hold of the nearest handle."""
        if self.axis is None or event.button() != Qt.MouseButton.LeftButton:
            return
        self.finish()
        self.handle = self._nearest(event.position())
        self._dragging = True
        self.update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Drag; or say by the cursor that one can."""
        if self.axis is None:
            return
        if self._dragging:
            self._put(self._place(event.position().x()))
            return
        near = self._nearest(event.position())
        within = abs(self.handle_x(near) - event.position().x()) <= _GRIP
        shape = Qt.CursorShape.SizeHorCursor if within else Qt.CursorShape.ArrowCursor
        self.setCursor(shape)
        self._hovered = near if within else None
        self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Let go: the range is taken."""
        del event
        if self._dragging:
            self._dragging = False
            self.finish()
            self.update()

    def leaveEvent(self, event: QEvent) -> None:
        """Point at nothing any more."""
        super().leaveEvent(event)
        self._hovered = None
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Take what was stepped before somebody looks elsewhere."""
        super().focusOutEvent(event)
        if not self._dragging:
            self.finish()
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Choose a handle with up and down, move it with left and right."""
        key, axis = Qt.Key(event.key()), self.axis
        if axis is None:
            super().keyPressEvent(event)
        elif key in {Qt.Key.Key_Up, Qt.Key.Key_Down}:
            way = 1 if key == Qt.Key.Key_Up else -1
            self.handle = HANDLES[(HANDLES.index(self.handle) + way) % len(HANDLES)]
        elif key in {Qt.Key.Key_Left, Qt.Key.Key_Right}:
            steps = 10 if event.modifiers() & Qt.KeyboardModifier.ControlModifier else 1
            self.axis = axis.stepped(self.handle, steps if key == Qt.Key.Key_Right else -steps)
            self._timer.start()
        elif key == Qt.Key.Key_Escape and self._parameter and self._unfinished:
            self._dragging = False
            self._timer.stop()
            self.show_range(self._parameter)
        else:
            super().keyPressEvent(event)
        self._describe()
        self.update()

    def _put(self, place: float) -> None:
        assert self.axis is not None
        self.axis = self.axis.moved(self.handle, place, 0.75 / self._room())
        self.update()

    # ---- drawing

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the prior's density, the ticks and the three handles."""
        del event
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(theme.font(theme.SMALL))
        tokens = theme.current()
        if self.axis is None:
            painter.setPen(QColor(tokens.muted))
            words = tr("The axis comes back when the range is fixed.")
            flags = int(Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap)
            painter.drawText(self.rect(), flags, words)
            return
        ground = self._top() + self._tall()
        self._paint_prior(painter, self.axis, ground)
        painter.setPen(QPen(QColor(tokens.border), 1))
        painter.drawLine(QPointF(_SIDE, ground), QPointF(self.width() - _SIDE, ground))
        self._paint_ticks(painter, self.axis, ground)
        for handle in HANDLES:
            self._paint_handle(painter, handle, ground)
        self._paint_word(painter)

    def _paint_prior(self, painter: QPainter, axis: RangeAxis, ground: float) -> None:
        tokens = theme.current()
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour(tokens.accent, 0.35 if tokens.is_dark else 0.2))
        tall = self._tall() - 6.0
        bars = axis.bars()
        if bars:
            apart = min((b[0] - a[0] for a, b in pairwise(bars)), default=0.05)
            wide = min(max(1.5, 0.6 * apart * self._room()), 14.0)
            for place, height in bars:
                tip = tall * height
                painter.drawRect(QRectF(self._x(place) - wide / 2, ground - tip, wide, tip))
            return
        places, heights = axis.density()
        outline = [QPointF(self._x(float(places[0])), ground)]
        outline += [
            QPointF(self._x(place), ground - tall * height)
            for place, height in zip(places.tolist(), heights.tolist(), strict=True)
        ]
        outline.append(QPointF(self._x(float(places[-1])), ground))
        painter.drawPolygon(QPolygonF(outline))

    def _paint_ticks(self, painter: QPainter, axis: RangeAxis, ground: float) -> None:
        tokens, metrics = theme.current(), painter.fontMetrics()
        free = -1e9
        for place, text in axis.ticks():
            x, wide = self._x(place), metrics.horizontalAdvance(text)
            painter.setPen(QColor(tokens.border))
            painter.drawLine(QPointF(x, ground), QPointF(x, ground + 4))
            left = min(max(x - wide / 2, 0.0), self.width() - wide)
            if left > free:
                painter.setPen(QColor(tokens.muted))
                rect = QRectF(left, ground + 8, wide + 1, self._line())
                painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, text)
                free = left + wide + 8

    def _paint_handle(self, painter: QPainter, handle: Handle, ground: float) -> None:
        tokens, x = theme.current(), self.handle_x(handle)
        chosen = handle == self.handle and (self.hasFocus() or self._dragging)
        painter.setPen(QPen(QColor(tokens.text if chosen else tokens.surface), 1.5))
        painter.setBrush(QColor(tokens.accent if handle != "default" else tokens.text))
        if handle == "default":
            half = 6.0
            diamond = [(0, -half), (half, 0), (0, half), (-half, 0)]
            painter.drawPolygon(QPolygonF([QPointF(x + dx, ground + dy) for dx, dy in diamond]))
        else:
            painter.drawRoundedRect(
                QRectF(x - 3.5, ground - self._tall(), 7, self._tall() + 4),
                theme.MARK,
                theme.MARK,
            )

    def _paint_word(self, painter: QPainter) -> None:
        """Write what is pointed at or moved, above its handle."""
        shown = self.handle if self._dragging or self._hovered is None else self._hovered
        if self.axis is None or not (self._dragging or self._hovered or self.hasFocus()):
            return
        text = f"{tr(_NAMES[shown])} {short_number(getattr(self.axis, shown))}"
        wide = painter.fontMetrics().horizontalAdvance(text) + 2
        left = min(max(self.handle_x(shown) - wide / 2, 0.0), max(0.0, self.width() - wide))
        painter.setPen(QColor(theme.current().text))
        painter.drawText(QRectF(left, 0, wide, self._top() - 2), Qt.AlignmentFlag.AlignCenter, text)
