"""The columns' bars: a press, or the arrow keys, choose the one whose effect is shown."""

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from studio.figures.worth import ROW, WorthRow, worth_diagram
from studio.gui.base import theme
from studio.gui.base.language import tr
from studio.gui.widgets.diagram_view import paint

_WIDTH = 320


class WorthChart(QWidget):
    """A bar for each column, the most important at the top."""

    chosen = Signal(str)
    """The effect of this column shall be shown."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows: tuple[WorthRow, ...] = ()
        self._place = 0
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setToolTip(tr("Press a bar to see the effect of the column's values"))
        theme.notifier().changed.connect(self.updateGeometry)

    def show_rows(self, rows: tuple[WorthRow, ...], chosen: str) -> None:
        """Show these bars, and mark that of one column."""
        names = [row.name for row in rows]
        self._place = names.index(chosen) if chosen in names else 0
        if len(rows) != len(self.rows):
            self.updateGeometry()
        self.rows = rows
        told = "; ".join(f"{row.name}: {row.text}, {row.words}" for row in rows)
        self.setAccessibleName(tr("What each column is worth"))
        self.setAccessibleDescription(told)
        self.update()

    def sizeHint(self) -> QSize:
        """Leave a row for each column."""
        return QSize(theme.pixels(_WIDTH), theme.pixels(ROW * len(self.rows)))

    def minimumSizeHint(self) -> QSize:
        """Keep the height: half a bar says nothing."""
        return QSize(200, self.sizeHint().height())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose the column that is pressed."""
        self._choose(int(event.position().y() / theme.scale() / ROW))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Choose the next column above or below."""
        step = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(event.key()))
        if step is None:
            super().keyPressEvent(event)
        else:
            self._choose(self._place + step)

    def _choose(self, place: int) -> None:
        if 0 <= place < len(self.rows):
            self.chosen.emit(self.rows[place].name)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the bars as wide as there is room."""
        del event
        if not self.rows:
            return
        painter = QPainter(self)
        scale = theme.scale()
        painter.scale(scale, scale)
        width = self.width() / scale
        drawn = worth_diagram(self.rows, self.accessibleName(), width, self._place)
        paint(painter, drawn, theme.current())
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(theme.colour(theme.current().accent), 1.5))
            box = QRectF(0, ROW * self._place, width, ROW).adjusted(1, 1, -1, -1)
            painter.drawRoundedRect(box, 4, 4)
        painter.end()
