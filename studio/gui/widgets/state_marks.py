"""Symbol and colour of a run's state, the same in all lists."""

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from studio.gui.base import theme


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
