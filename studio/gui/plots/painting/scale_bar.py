"""The colour scale of a heat map, as one slim row with the numbers at its ends."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QLinearGradient, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QSizePolicy, QWidget

from studio.gui.base import theme
from studio.gui.base.tips import plain_tip
from studio.gui.plots.painting.legend import Legend
from studio.gui.plots.painting.scale import scale_colour
from studio.gui.widgets import kit
from studio.language import tr

_AFTER_NAME, _BESIDE = 12, 6
"""Gaps after the name, and between the gradient and its ends."""

_LONGEST, _SHORTEST = 140, 32
"""Lengths of the gradient: the name is cut before it becomes shorter."""


class ScaleBar(QWidget):
    """Paints "name  low ▁▂▃ high"; where there is little room the gradient is shorter."""

    def __init__(self) -> None:
        super().__init__()
        self._texts = ("", "", "")
        theme.give_font(self, theme.SMALL)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def show_scale(self, name: str, low: str, high: str) -> None:
        """Say what the colours mean."""
        self._texts = (name, low, high)
        words = tr("{name}: from {low} to {high}", name=name, low=low, high=high)
        self.setAccessibleDescription(words)
        self.setToolTip(plain_tip(words))
        self.updateGeometry()
        self.update()

    @property
    def least_width(self) -> int:
        """The width from which on all of its texts are seen."""
        width = sum(map(self.fontMetrics().horizontalAdvance, self._texts))
        return width + _AFTER_NAME + 2 * _BESIDE + 2 + _SHORTEST

    def sizeHint(self) -> QSize:
        """Take one row, with a gradient as long as it may be."""
        width = self.least_width - _SHORTEST + _LONGEST
        return QSize(width, self.fontMetrics().height() + 4)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the gradient and its texts."""
        del event
        metrics = self.fontMetrics()
        name, low, high = self._texts
        ends = metrics.horizontalAdvance(low) + metrics.horizontalAdvance(high)
        room = self.width() - ends - _AFTER_NAME - 2 * _BESIDE
        name = metrics.elidedText(name, Qt.TextElideMode.ElideRight, max(0, room - _SHORTEST))
        length = min(_LONGEST, max(_SHORTEST, room - metrics.horizontalAdvance(name)))
        painter = QPainter(self)
        painter.setPen(QColor(theme.current().text))
        left = 0.0
        for text, after in ((name, _AFTER_NAME), (low, _BESIDE)):
            left = self._write(painter, text, left) + after
        thick = round(0.6 * metrics.height())
        bar = QRectF(left, (self.height() - thick) / 2, length, thick)
        gradient = QLinearGradient(bar.topLeft(), bar.topRight())
        for stop in range(11):
            gradient.setColorAt(stop / 10, scale_colour(stop / 10))
        painter.fillRect(bar, gradient)
        self._write(painter, high, left + length + _BESIDE)
        painter.end()

    def _write(self, painter: QPainter, text: str, left: float) -> float:
        """Write a text and return where it ends."""
        width = self.fontMetrics().horizontalAdvance(text)
        area = QRectF(left, 0, width + 2, self.height())
        painter.drawText(area, Qt.AlignmentFlag.AlignVCenter, text)
        return left + width


class Beside(QWidget):
    """A legend and a scale in one row, or below one another where the scale would be cut."""

    def __init__(self, legend: Legend, scale: ScaleBar) -> None:
        super().__init__()
        self._legend, self._scale = legend, scale
        scale.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self._row = kit.row(
            (legend, 1, Qt.AlignmentFlag.AlignTop),
            (scale, 0, Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft),
            on=self,
            spacing=2 * theme.GRID,
        )

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Divide the row again at another width."""
        super().resizeEvent(event)
        self.fit()

    def fit(self) -> None:
        """Divide the row again, because the legend appeared or went."""
        room = self.width()
        spare = max(room // 2, room - self._legend.level_width - 2 * theme.GRID)
        under = not self._legend.isHidden() and self._scale.least_width > spare
        direction = QBoxLayout.Direction
        self._row.setDirection(direction.TopToBottom if under else direction.LeftToRight)
        self._row.setSpacing(0 if under else 2 * theme.GRID)
        self._scale.setMaximumWidth(room if under or self._legend.isHidden() else spare)
