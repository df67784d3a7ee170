"""The thin bar by which a plot is dragged."""

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from studio.gui.base import theme
from studio.language import tr


class Grip(QWidget):
    """A row of dots above a plot; a double click gives it the whole page, or takes it back."""

    double_clicked = Signal()

    def __init__(self, title: str) -> None:
        super().__init__()
        self.setAccessibleName(tr("Move the plot {title}", title=title))
        self.setToolTip(
            tr(
                "Drag to rearrange: beside or above another plot, onto it as a tab, or out of "
                "the window. Double-click: only this plot, or all again"
            )
        )
        self.setCursor(Qt.CursorShape.SizeAllCursor)

    def sizeHint(self) -> QSize:
        """Return the bar's height."""
        return QSize(40, theme.GRID + 4)

    def minimumSizeHint(self) -> QSize:
        """Return the same: the bar never vanishes."""
        return self.sizeHint()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Say so, before the dock takes it as a request to float."""
        event.accept()
        self.double_clicked.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw a short row of dots in the middle."""
        del event
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour(theme.current().border))
        middle = self.rect().center()
        for step in range(-2, 3):
            painter.drawEllipse(middle.x() + 6 * step - 1, middle.y(), 3, 3)
        painter.end()
