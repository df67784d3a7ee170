"""Marks of a run: the symbol and colour of its state, and a square in its colour."""

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from studio.figures.ink import Ink
from studio.gui.base import theme
from studio.gui.base.inks import get_colour


def get_state_colour(state: str) -> QColor:
    """Return a state's colour in the current theme."""
    tokens = theme.current()
    colours = {
        "finished": tokens.good,
        "failed": tokens.bad,
        "interrupted": tokens.warn,
        "paused": tokens.warn,
        "stopped": tokens.muted,
    }
    return theme.colour(colours.get(state, tokens.accent))


def paint_state(painter: QPainter, state: str, centre: QPointF) -> None:
    """Draw a distinct symbol for each state, not only a colour; about eight pixels wide."""
    pen = QPen(get_state_colour(state), 1.8)
    pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)

    def to_point(x: float, y: float) -> QPointF:
        return centre + QPointF(x, y)

    if state == "finished":
        painter.drawPolyline([to_point(-4, 0), to_point(-1, 3), to_point(4, -4)])
    elif state in {"failed", "interrupted"}:
        painter.drawLine(to_point(-3, -3), to_point(3, 3))
        painter.drawLine(to_point(-3, 3), to_point(3, -3))
    elif state == "paused":
        painter.drawLine(to_point(-2, -3), to_point(-2, 3))
        painter.drawLine(to_point(2, -3), to_point(2, 3))
    elif state == "stopped":
        painter.drawRect(QRectF(centre.x() - 3, centre.y() - 3, 6, 6))
    else:
        painter.setBrush(get_state_colour(state))
        painter.drawEllipse(centre, 3, 3)


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
