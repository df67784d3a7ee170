"""Symbols of the repetitions in a grid's cell, and their legend."""

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QWidget

from studio.gui.base import theme
from studio.gui.base.theme import GRID
from studio.gui.pages.compare.grid_view import State
from studio.gui.widgets import kit
from studio.language import tr

_HEIGHT = 12

_FIGURES_HEIGHT = 22

_SIZE = 16
"""Maximum width of a symbol; many repetitions share the space."""


def paint_symbol(painter: QPainter, box: QRectF, state: State, share: float) -> None:
    """Draw a repetition's symbol: filled, partly filled, empty, dashed, crossed, or a line."""
    tokens = theme.current()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    box = box.adjusted(0.5, 0.5, -0.5, -0.5)
    edge = {
        "finished": tokens.good,
        "running": tokens.accent,
        "failed": tokens.bad,
        "stopped": tokens.warn,
    }.get(state, tokens.muted)
    pen = QPen(theme.colour(edge), 1.2)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    if state == "out":
        painter.setPen(pen)
        middle = box.center().y()
        painter.drawLine(QPointF(box.left(), middle), QPointF(box.right(), middle))
        return
    if state == "finished":
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour(edge))
        painter.drawRoundedRect(box, theme.MARK, theme.MARK)
        if box.width() >= 10:
            _draw_tick(painter, box)
        return
    if share > 0 and state in {"running", "stopped"}:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour(edge, 0.45))
        painter.drawRect(QRectF(box.left(), box.top(), box.width() * share, box.height()))
        painter.setBrush(Qt.BrushStyle.NoBrush)
    if state == "stopped":
        pen.setStyle(Qt.PenStyle.DashLine)
    painter.setPen(pen)
    painter.drawRoundedRect(box, theme.MARK, theme.MARK)
    if state == "failed":
        inner = box.adjusted(4, 4, -4, -4)
        painter.drawLine(inner.topLeft(), inner.bottomRight())
        painter.drawLine(inner.bottomLeft(), inner.topRight())


def _draw_tick(painter: QPainter, box: QRectF) -> None:
    painter.setPen(QPen(theme.colour(theme.current().surface), 1.5))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    left, top, size = box.center().x() - 4, box.center().y() - 3, 6.0
    painter.drawPolyline(
        QPolygonF(
            [
                QPointF(left, top + 0.5 * size),
                QPointF(left + 0.4 * size, top + 0.9 * size),
                QPointF(left + 1.25 * size, top + 0.1 * size),
            ]
        )
    )


def place_symbols(area: QRectF, count: int, step: float = 0.0) -> list[QRectF]:
    """Return the positions of ``count`` symbols in a cell, ``step`` pixels apart (0: stacked)."""
    if not count:
        return []
    if step:
        width = float(theme.pixels(_SIZE))
        return [
            QRectF(area.left() + index * step, area.top(), width, area.height())
            for index in range(count)
        ]
    gap = 3.0 if count <= 12 else 1.0
    width = min(float(theme.pixels(_SIZE)), (area.width() - gap * (count - 1)) / count)
    width = max(1.0, width)
    return [
        QRectF(area.left() + index * (width + gap), area.top(), width, area.height())
        for index in range(count)
    ]


def get_symbols_area(area: QRectF) -> QRectF:
    """Return a cell's area for symbols."""
    height, figures_height = theme.pixels(_HEIGHT), theme.pixels(_FIGURES_HEIGHT)
    top = area.bottom() - figures_height - height
    return QRectF(area.left() + GRID, top, area.width() - 2 * GRID, height)


class SymbolLegend(QWidget):
    """A one-line legend of the symbols."""

    def __init__(self) -> None:
        super().__init__()
        legend: tuple[tuple[State, str], ...] = (
            ("finished", tr("finished")),
            ("running", tr("running")),
            ("open", tr("not started")),
            ("stopped", tr("interrupted")),
            ("failed", tr("failed")),
            ("out", tr("left out")),
        )
        line = kit.row(parent=self, spacing=GRID // 2, margin=(2 * GRID, GRID // 2, 2 * GRID, 0))
        for state, text in legend:
            line.addWidget(_Symbol(state))
            line.addWidget(kit.label(text, "small"))
            line.addSpacing(GRID)
        hint = kit.label(
            tr("Double-click or press Enter to open a run; numbers are test errors"),
            "small",
            wrap=True,
        )
        hint.setAlignment(Qt.AlignmentFlag.AlignRight)
        line.addWidget(hint, 1)


class _Symbol(QWidget):
    def __init__(self, state: State) -> None:
        super().__init__()
        self._state = state
        self.setFixedSize(_SIZE, _HEIGHT)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        paint_symbol(painter, QRectF(self.rect()), self._state, 0.5)
        painter.end()
