"""How states and progress are drawn in the list of runs: a sign and a bar, never colour alone."""

from typing import Any

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from studio.gui.base import theme
from studio.gui.pages.run.runs.lines import RunLine
from studio.gui.pages.run.runs.list_model import PROGRESS, STATE
from studio.gui.widgets.records import record_of
from studio.gui.widgets.state_marks import paint_state, state_colour

_BAR = 5


class RunDelegate(QStyledItemDelegate):
    """Draws the cells of states and progress; the others are the style's."""

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
        line: RunLine = record_of(index)
        if index.column() == STATE:
            paint_state(painter, line.state, QPointF(box.left() + 6, box.center().y()))
            _draw_text(painter, box.adjusted(24, 0, 0, 0), line.state_words)
        else:
            _draw_progress(painter, box, line.share, line.state, line.progress)
        painter.restore()


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
    painter.drawRoundedRect(bar, theme.MARK, theme.MARK)
    bar.setWidth(bar.width() * share)
    painter.setBrush(state_colour(state))
    painter.drawRoundedRect(bar, theme.MARK, theme.MARK)
