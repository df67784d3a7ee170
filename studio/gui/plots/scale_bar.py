"""The colour scale of a heat map, as one slim row with the numbers at its ends."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QLinearGradient, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from studio.gui import theme
from studio.gui.plots.colours import scale_colour

_HEIGHT, _BAR, _LENGTH = 18, 10, 140


class ScaleBar(QWidget):
    """Paints "name  low ▁▂▃ high"."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._texts = ("", "", "")
        self.setFont(theme.font(theme.SMALL))
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def show_scale(self, name: str, low: str, high: str) -> None:
        """Say what the colours mean."""
        self._texts = (name, low, high)
        self.setAccessibleDescription(f"{name}: from {low} to {high}")
        self.update()

    def sizeHint(self) -> QSize:
        """Take one row."""
        return QSize(200, _HEIGHT)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the gradient and its texts."""
        del event
        painter = QPainter(self)
        painter.setPen(QColor(theme.current().text))
        left = 0.0
        for place, text in enumerate(self._texts):
            width = self.fontMetrics().horizontalAdvance(text)
            painter.drawText(
                QRectF(left, 0, width + 2, _HEIGHT), Qt.AlignmentFlag.AlignVCenter, text
            )
            left += width + (12 if place == 0 else 6)
            if place == 1:
                bar = QRectF(left, (_HEIGHT - _BAR) / 2, _LENGTH, _BAR)
                gradient = QLinearGradient(bar.topLeft(), bar.topRight())
                for stop in range(11):
                    gradient.setColorAt(stop / 10, scale_colour(stop / 10))
                painter.fillRect(bar, gradient)
                left += _LENGTH + 6
        painter.end()
