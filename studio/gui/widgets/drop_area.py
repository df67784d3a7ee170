"""The field of the first page on which a table is dropped."""

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QFrame

from studio.gui.base import icons, theme
from studio.gui.base.language import tr
from studio.gui.widgets import kit


class DropArea(QFrame):
    """A dashed field to drop a table on, or to press for the file dialog."""

    pressed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setMinimumHeight(176)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName(tr("Open a table"))
        self.setToolTip(tr("CSV or TSV, also compressed (.gz or .zip); Excel and Parquet"))
        heading = kit.label(tr("Drop a table here"), "section")
        heading.setAlignment(Qt.AlignmentFlag.AlignCenter)
        hint = kit.label(tr("CSV, TSV, Excel or Parquet – or press to choose a file"), "muted")
        hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        kit.column(None, 48, heading, hint, None, on=self, spacing=None, margin=None)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the dashed edge and the sign of a table."""
        tokens = theme.current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        active = self.hasFocus() or self.underMouse()
        pen = QPen(theme.colour(tokens.accent if active else tokens.border), 1.5)
        pen.setDashPattern([4, 3])
        painter.setPen(pen)
        painter.setBrush(theme.colour(tokens.accent_soft if active else tokens.surface))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 10, 10)
        picture = icons.pixmap("data", tokens.accent, 36, self.devicePixelRatioF())
        painter.drawPixmap(round(self.width() / 2 - 18), round(self.height() / 2 - 54), picture)
        painter.end()

    def enterEvent(self, event: object) -> None:
        """Highlight the field under the pointer."""
        self.update()

    def leaveEvent(self, event: object) -> None:
        """End the highlight when the pointer leaves."""
        self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Ask for a file."""
        self.pressed.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Ask for a file on Return and Space."""
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space}:
            self.pressed.emit()
        else:
            super().keyPressEvent(event)
