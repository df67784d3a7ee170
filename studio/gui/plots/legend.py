"""A plot's legend: one wrapping row of samples and names below the plot's title."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from studio.gui import theme

Sample = Literal["line", "dash", "dot", "tick", "square", "band"]

_SAMPLE, _GAP, _BETWEEN, _ROW = 18, 6, 16, 18


@dataclass(frozen=True)
class Entry:
    """One thing that a plot draws: its name, its sample and its colour."""

    name: str
    sample: Sample
    colour: QColor


class Legend(QWidget):
    """Paints entries from left to right and wraps them into rows as wide as it is."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._entries: tuple[Entry, ...] = ()
        self.setFont(theme.font(theme.SMALL))
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setSizePolicy(policy)
        self.setAccessibleName("Legend")

    def show_entries(self, entries: Sequence[Entry]) -> None:
        """Replace what is shown."""
        if tuple(entries) == self._entries:
            return
        self._entries = tuple(entries)
        self.setVisible(bool(entries))
        self.setAccessibleDescription(", ".join(entry.name for entry in entries))
        self._fit()
        self.update()

    def sizeHint(self) -> QSize:
        """Ask for as many rows as the entries need at this width."""
        return QSize(200, _ROW * len(self._rows()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Wrap anew."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        height = _ROW * len(self._rows())
        if self.height() != height or self.minimumHeight() != height:
            self.setFixedHeight(height)

    def _rows(self) -> list[list[tuple[float, Entry]]]:
        """Place entries: per row, the left edge of each."""
        rows: list[list[tuple[float, Entry]]] = [[]]
        left = 0.0
        for entry in self._entries:
            width = _SAMPLE + _GAP + self.fontMetrics().horizontalAdvance(entry.name)
            if rows[-1] and left + width > self.width():
                rows.append([])
                left = 0.0
            rows[-1].append((left, entry))
            left += width + _BETWEEN
        return rows

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw samples and names."""
        del event
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for number, row in enumerate(self._rows()):
            for left, entry in row:
                top = number * _ROW
                _draw_sample(painter, QRectF(left, top, _SAMPLE, _ROW), entry)
                painter.setPen(QColor(theme.current().text))
                area = QRectF(left + _SAMPLE + _GAP, top, self.width(), _ROW)
                painter.drawText(area, Qt.AlignmentFlag.AlignVCenter, entry.name)
        painter.end()


def _draw_sample(painter: QPainter, area: QRectF, entry: Entry) -> None:
    middle = area.center()
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(entry.colour)
    if entry.sample in ("line", "dash"):
        pen = QPen(entry.colour, 2)
        if entry.sample == "dash":
            pen.setDashPattern([3, 2])
        painter.setPen(pen)
        painter.drawLine(QPointF(area.left(), middle.y()), QPointF(area.right(), middle.y()))
    elif entry.sample == "dot":
        painter.drawEllipse(middle, 3.0, 3.0)
    elif entry.sample == "tick":
        painter.drawRect(QRectF(middle.x() - 1, middle.y() - 5, 2, 10))
    elif entry.sample == "square":
        painter.drawRoundedRect(QRectF(middle.x() - 5, middle.y() - 5, 10, 10), 2, 2)
    else:
        painter.drawRect(QRectF(area.left(), middle.y() - 5, _SAMPLE, 10))
