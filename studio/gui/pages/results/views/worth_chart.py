"""The columns' bars: a press, or the arrow keys, choose the one whose effect is shown."""

from functools import partial

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen

from studio.figures.worth import ROW, WorthRow, worth_diagram
from studio.gui.base import theme
from studio.gui.base.language import tr
from studio.gui.widgets.drawn import Drawn


class WorthChart(Drawn):
    """A bar for each column, the most important at the top."""

    chosen = Signal(str)
    """The effect of this column is to be shown."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: tuple[WorthRow, ...] = ()
        self._place = 0
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setToolTip(tr("Press a bar to see the effect of the column's values"))

    def show_rows(self, rows: tuple[WorthRow, ...], chosen: str) -> None:
        """Show these bars, and mark that of one column."""
        names = [row.name for row in rows]
        self._place = names.index(chosen) if chosen in names else 0
        self.rows = rows
        title = tr("What each column is worth")
        make = partial(worth_diagram, rows, title, chosen=self._place)
        self.show_diagram(make if rows else None, title)
        words = (f"{row.name}: {row.text}, {row.words}" for row in rows)
        self.setAccessibleDescription("; ".join(words))

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
        """Draw the bars, and a frame where the keys are."""
        super().paintEvent(event)
        if self.hasFocus() and self.rows:
            painter = QPainter(self)
            scale = theme.scale()
            painter.scale(scale, scale)
            painter.setPen(QPen(theme.colour(theme.current().accent), 1.5))
            box = QRectF(0, ROW * self._place, self.width() / scale, ROW).adjusted(1, 1, -1, -1)
            painter.drawRoundedRect(box, 4, 4)
            painter.end()
