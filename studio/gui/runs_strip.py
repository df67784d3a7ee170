"""The strip at the bottom: a chip for each run, and the time slider of the chosen one."""

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QFrame, QHBoxLayout, QScrollArea, QWidget

from studio.gui import theme
from studio.gui.run_view import RunView
from studio.gui.theme import GRID
from studio.gui.wording import STATE_WORDS, best_losses, loss, progress

CHIP_WIDTH = 232
CHIP_HEIGHT = 40


class RunChip(QAbstractButton):
    """One run: state, name, a bar, how far it is, and the best error so far."""

    def __init__(self, run_id: int) -> None:
        super().__init__()
        self.run_id = run_id
        self.setCheckable(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._state = ""
        self._name = ""
        self._progress = ""
        self._share = 0.0
        self._loss = ""

    def sizeHint(self) -> QSize:
        """Chips are of one size, so that they do not jump as numbers change."""
        return QSize(CHIP_WIDTH, CHIP_HEIGHT)

    def show_run(self, view: RunView, unit: str) -> None:
        """Take the run's state; repaints only if something visible changed."""
        best = best_losses(view)
        value = best["ensemble"] if best["ensemble"] is not None else best["single"]
        share = min(1.0, view.searched / view.budget) if view.budget else 0.0
        shown = (view.state, view.row.name, progress(view), share, loss(value, unit))
        before = (self._state, self._name, self._progress, self._share, self._loss)
        if shown == before:
            return
        self._state, self._name, self._progress, self._share, self._loss = shown
        words = (
            f"{self._name}: {STATE_WORDS[self._state]}, {self._progress}, "
            f"validation error of the ensemble {self._loss}"
        )
        self.setAccessibleName(words)
        self.setToolTip(f"{words}\n{view.row.message}".strip())
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the chip."""
        tokens = theme.current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(self.rect()).adjusted(0.75, 0.75, -0.75, -0.75)
        chosen, marked = self.isChecked(), self.hasFocus()
        edge = tokens.accent if chosen or marked else tokens.border
        painter.setPen(QPen(theme.colour(edge), 1.5 if chosen else 1))
        hovered = tokens.raised if self.underMouse() else tokens.surface
        painter.setBrush(theme.colour(tokens.accent_soft if chosen else hovered))
        painter.drawRoundedRect(box, 6, 6)
        self._paint_mark(painter, 16, 15)
        painter.setPen(theme.colour(tokens.text))
        painter.setFont(theme.font(theme.SMALL, bold=True))
        loss_width = painter.fontMetrics().horizontalAdvance(self._loss) + 10
        painter.drawText(
            QRectF(self.width() - loss_width - 10, 5, loss_width, 18),
            Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter,
            self._loss,
        )
        room = self.width() - loss_width - 40
        name = painter.fontMetrics().elidedText(self._name, Qt.TextElideMode.ElideRight, room)
        painter.drawText(QRectF(28, 5, room, 18), Qt.AlignmentFlag.AlignVCenter, name)
        painter.setFont(theme.font(11))
        painter.setPen(theme.colour(tokens.muted))
        painter.drawText(
            QRectF(self.width() - 100, 22, 90, 14),
            Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter,
            self._progress,
        )
        bar = QRectF(12, 27, self.width() - 120, 4)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour(tokens.raised if not chosen else tokens.border))
        painter.drawRoundedRect(bar, 2, 2)
        bar.setWidth(bar.width() * self._share)
        painter.setBrush(theme.colour(self._colour()))
        painter.drawRoundedRect(bar, 2, 2)
        painter.end()

    def _colour(self) -> str:
        tokens = theme.current()
        return {
            "finished": tokens.good,
            "failed": tokens.bad,
            "interrupted": tokens.warn,
            "paused": tokens.warn,
            "stopped": tokens.muted,
        }.get(self._state, tokens.accent)

    def _paint_mark(self, painter: QPainter, x: float, y: float) -> None:
        """Draw the state as a sign of its own, not only a colour."""
        pen = QPen(theme.colour(self._colour()), 1.8)
        pen.setCapStyle(Qt.PenCapStyle.RoundCap)
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if self._state == "finished":
            painter.drawPolyline([_at(x - 4, y), _at(x - 1, y + 3), _at(x + 4, y - 4)])
        elif self._state in {"failed", "interrupted"}:
            painter.drawLine(_at(x - 3, y - 3), _at(x + 3, y + 3))
            painter.drawLine(_at(x - 3, y + 3), _at(x + 3, y - 3))
        elif self._state == "paused":
            painter.drawLine(_at(x - 2, y - 3), _at(x - 2, y + 3))
            painter.drawLine(_at(x + 2, y - 3), _at(x + 2, y + 3))
        elif self._state == "stopped":
            painter.drawRect(QRectF(x - 3, y - 3, 6, 6))
        else:
            painter.setBrush(theme.colour(self._colour()))
            painter.drawEllipse(_at(x, y), 3, 3)


def _at(x: float, y: float) -> QPointF:
    return QPointF(x, y)


class RunsStrip(QFrame):
    """Chips of all runs, newest at the left."""

    run_chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._chips: dict[int, RunChip] = {}
        inside = QWidget()
        self._row = QHBoxLayout(inside)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(GRID)
        self._row.addStretch(1)
        area = QScrollArea()
        area.setWidget(inside)
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setFixedHeight(CHIP_HEIGHT + 2)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        outer = QHBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(area)

    def show_runs(self, views: list[RunView], chosen: int | None, units: dict[int, str]) -> None:
        """Show these runs; ``units`` by run id."""
        wanted = {view.row.id for view in views}
        for gone in set(self._chips) - wanted:
            chip = self._chips.pop(gone)
            self._row.removeWidget(chip)
            chip.deleteLater()
        for view in views:
            number = view.row.id
            if number not in self._chips:
                chip = RunChip(number)
                chip.clicked.connect(lambda _=False, n=number: self.run_chosen.emit(n))
                self._chips[number] = chip
                self._row.insertWidget(0, chip)
            self._chips[number].show_run(view, units.get(number, ""))
            self._chips[number].setChecked(number == chosen)
