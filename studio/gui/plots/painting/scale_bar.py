"""The colour scale of a heat map, as one slim row with the numbers at its ends."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QLinearGradient, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from studio.gui.base import theme
from studio.gui.base.language import tr
from studio.gui.plots.painting.legend import Legend
from studio.gui.plots.painting.scale import scale_colour

_AFTER_NAME, _BESIDE = 12, 6
"""Gaps behind the name, and between the gradient and its ends."""

_LONGEST, _SHORTEST = 140, 32
"""Lengths of the gradient: the name is cut before it becomes shorter."""


class ScaleBar(QWidget):
    """Paints "name  low ▁▂▃ high"; where there is little room the gradient is shorter."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._texts = ("", "", "")
        theme.give_font(self, theme.SMALL)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def show_scale(self, name: str, low: str, high: str) -> None:
        """Say what the colours mean."""
        self._texts = (name, low, high)
        told = tr("{name}: from {low} to {high}", name=name, low=low, high=high)
        self.setAccessibleDescription(told)
        self.setToolTip(told)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        """Take one row, as long as all is seen."""
        width = sum(map(self.fontMetrics().horizontalAdvance, self._texts))
        gaps = _AFTER_NAME + 2 * _BESIDE + 2
        return QSize(width + gaps + _LONGEST, self.fontMetrics().height() + 4)

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
    """A legend and a scale in one row: the scale has half, or what the legend leaves."""

    def __init__(self, legend: Legend, scale: ScaleBar) -> None:
        super().__init__()
        self._legend, self._scale = legend, scale
        scale.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(2 * theme.GRID)
        row.addWidget(legend, 1, Qt.AlignmentFlag.AlignTop)
        row.addWidget(scale, 0, Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Part the row anew at another width."""
        super().resizeEvent(event)
        self.fit()

    def fit(self) -> None:
        """Part the row anew, because the legend came or went."""
        room = self.width()
        spare = room - self._legend.level_width - 2 * theme.GRID
        self._scale.setMaximumWidth(room if self._legend.isHidden() else max(room // 2, spare))
