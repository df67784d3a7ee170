"""How states and progress are drawn in the list of runs: a sign and a bar, never colour alone."""

from typing import Any

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from studio.gui import theme
from studio.gui.runs.lines import PROGRESS, STATE
from studio.gui.runs.list_model import SHARE_ROLE, STATE_ROLE

_BAR = 5


class RunDelegate(QStyledItemDelegate):
    """Draws the cells of states and progress; the others are the style's."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Any) -> None:
        """Draw a cell."""
        if index.column() not in {STATE, PROGRESS}:
            super().paint(painter, option, index)
            return
        blank = QStyleOptionViewItem(option)
        self.initStyleOption(blank, index)
        blank.text = ""
        widget = option.widget
        style = widget.style()
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, blank, painter, widget)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(option.rect).adjusted(8, 0, -8, 0)
        state = str(index.data(STATE_ROLE))
        if index.column() == STATE:
            _draw_sign(painter, QPointF(box.left() + 6, box.center().y()), state)
            _draw_text(painter, box.adjusted(20, 0, 0, 0), str(index.data()))
        else:
            _draw_progress(painter, box, float(index.data(SHARE_ROLE)), state, str(index.data()))
        painter.restore()


def _colour(state: str) -> str:
    tokens = theme.current()
    return {
        "finished": tokens.good,
        "failed": tokens.bad,
        "interrupted": tokens.warn,
        "paused": tokens.warn,
        "stopped": tokens.muted,
    }.get(state, tokens.accent)


def _draw_text(painter: QPainter, box: QRectF, text: str) -> None:
    painter.setPen(theme.colour(theme.current().text))
    shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, int(box.width()))
    painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, shown)


def _draw_progress(painter: QPainter, box: QRectF, share: float, state: str, text: str) -> None:
    """Draw the words over a bar; without an end to go to there is no bar."""
    if share < 0:
        _draw_text(painter, box, text)
        return
    tokens = theme.current()
    height = painter.fontMetrics().height()
    top = box.center().y() - (height + _BAR + 3) / 2
    _draw_text(painter, QRectF(box.left(), top, box.width(), height), text)
    bar = QRectF(box.left(), top + height + 3, box.width(), _BAR)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme.colour(tokens.border))
    painter.drawRoundedRect(bar, _BAR / 2, _BAR / 2)
    bar.setWidth(bar.width() * share)
    painter.setBrush(theme.colour(_colour(state)))
    painter.drawRoundedRect(bar, _BAR / 2, _BAR / 2)


def _draw_sign(painter: QPainter, at: QPointF, state: str) -> None:
    pen = QPen(theme.colour(_colour(state)), 1.8)
    pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    painter.setPen(pen)

    def point(x: float, y: float) -> QPointF:
        return at + QPointF(x, y)

    if state == "finished":
        painter.drawPolyline([point(-4, 0), point(-1, 3), point(4, -4)])
    elif state in {"failed", "interrupted"}:
        painter.drawLine(point(-3, -3), point(3, 3))
        painter.drawLine(point(-3, 3), point(3, -3))
    elif state == "paused":
        painter.drawLine(point(-2, -3), point(-2, 3))
        painter.drawLine(point(2, -3), point(2, 3))
    elif state == "stopped":
        painter.drawRect(QRectF(at.x() - 3, at.y() - 3, 6, 6))
    else:
        painter.setBrush(theme.colour(_colour(state)))
        painter.drawEllipse(at, 3, 3)
