"""The track of the time slider: a click goes there, and small ticks mark what happened when."""

from collections.abc import Iterable

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSlider, QStyle

from studio.gui.base import theme

_HANDLE = 14
_TICK, _GAP = 4, 5


class TimeTrack(QSlider):
    """A slider on which a click jumps to the place clicked at, as people expect of time.

    Qt's own handling of the mouse would turn a click beside the handle into a page step.
    """

    def __init__(self) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self._better: tuple[int, ...] = ()
        self._failed: tuple[int, ...] = ()

    def show_marks(self, better: Iterable[int], failed: Iterable[int]) -> None:
        """Mark iterations: above the line a better model, below it a failed one."""
        marks = tuple(better), tuple(failed)
        if marks != (self._better, self._failed):
            self._better, self._failed = marks
            self.update()

    def sizeHint(self) -> QSize:
        """Ask for room for the ticks above and below."""
        return QSize(super().sizeHint().width(), _HANDLE + 2 * _TICK)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the ticks, and the slider over them."""
        painter = QPainter(self)
        painter.setPen(Qt.PenStyle.NoPen)
        tokens, middle = theme.current(), self.height() / 2
        for marks, colour, top in (
            (self._better, tokens.good, middle - _GAP - _TICK),
            (self._failed, tokens.bad, middle + _GAP),
        ):
            painter.setBrush(theme.colour(colour))
            # A thousand marks are as many ticks as there are pixels for them.
            for x in sorted({self._place(each) for each in marks}):
                painter.drawRect(QRectF(x - 0.75, top, 1.5, _TICK))
        painter.end()
        super().paintEvent(event)

    def _place(self, value: int) -> int:
        span = self.width() - _HANDLE
        return _HANDLE // 2 + QStyle.sliderPositionFromValue(
            self.minimum(), self.maximum(), value, span
        )

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take the handle to the pointer."""
        if event.button() is Qt.MouseButton.LeftButton:
            self.setSliderDown(True)
            self._follow(event)
        else:
            event.ignore()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Drag the handle."""
        if self.isSliderDown():
            self._follow(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Let the handle go."""
        if event.button() is Qt.MouseButton.LeftButton:
            self.setSliderDown(False)

    def _follow(self, event: QMouseEvent) -> None:
        x, span = round(event.position().x()) - _HANDLE // 2, self.width() - _HANDLE
        self.setValue(QStyle.sliderValueFromPosition(self.minimum(), self.maximum(), x, span))
