"""A small square in the colour of a run."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from studio.figures.ink import Ink
from studio.gui.base import theme
from studio.gui.base.inks import get_colour

_SIZE = 12
"""Edge length of the square in pixels, at a scale of 1."""


class Swatch(QWidget):
    """A square of one ink, hidden if there is none."""

    def __init__(self) -> None:
        super().__init__()
        self._ink: Ink | None = None
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        theme.get_notifier().changed.connect(self._fit)
        self._fit()
        self.hide()

    @property
    def ink(self) -> Ink | None:
        """The shown ink."""
        return self._ink

    def show_ink(self, ink: Ink | None) -> None:
        """Show an ink; None hides the square."""
        self._ink = ink
        self.setVisible(ink is not None)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(theme.pixels(_SIZE), theme.pixels(_SIZE))

    def _fit(self, _: object = None) -> None:
        self.setFixedSize(self.sizeHint())

    def paintEvent(self, event: QPaintEvent) -> None:
        del event
        if self._ink is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(get_colour(self._ink))
        painter.drawRoundedRect(QRectF(self.rect()), theme.TICK, theme.TICK)
        painter.end()
