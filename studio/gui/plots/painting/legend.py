"""Legend of a plot: wrapped rows of samples and names below the title."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from studio.figures.ink import Ink
from studio.figures.marks import Sample
from studio.gui.base import theme
from studio.gui.base.inks import get_colour
from studio.gui.base.tooltips import make_plain_tip
from studio.language import tr

MAX_ROWS = 3
"""Maximum number of rows; all sixteen learners would fill a small plot."""

_SAMPLE_SIZE, _GAP, _ENTRY_GAP = 18, 6, 16

_TRIANGLES: dict[Sample, tuple[tuple[float, float], ...]] = {
    "triangle": ((0.0, -4.5), (4.5, 4.0), (-4.5, 4.0)),
    "down": ((0.0, 4.5), (4.5, -4.0), (-4.5, -4.0)),
    "right": ((4.5, 0.0), (-4.0, 4.5), (-4.0, -4.5)),
    "peak": ((0.0, -4.5), (4.5, 4.0), (-4.5, 4.0)),
}
"""Corners of triangular samples, relative to the centre."""

_OUTLINES = ("ring", "cross", "plus", "peak")
"""Samples made of lines."""


@dataclass(frozen=True)
class LegendEntry:
    """An entry: name, sample, and the ink of the sample, which the theme in force colours."""

    name: str
    sample: Sample
    ink: Ink


class Legend(QWidget):
    """Lays out entries from left to right, wrapping at the widget's width.

    Entries beyond :data:`MAX_ROWS` rows (fewer in a short plot, more in a high one) are counted at
    the end ("+ 3") and listed in the tooltip.

    Args:
        size: Type size of the names, on the type scale.
        in_grid: Whether the entries of all rows are in the same columns.
    """

    def __init__(self, size: int = theme.SMALL, *, in_grid: bool = False) -> None:
        super().__init__()
        self._size = size
        self._entries: tuple[LegendEntry, ...] = ()
        self._max_rows, self._reserved_rows, self._in_grid = MAX_ROWS, 0, in_grid
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setSizePolicy(policy)
        self.setAccessibleName(tr("Legend"))
        self.apply_theme()

    def apply_theme(self) -> None:
        """Apply the current font; presentation mode has larger type."""
        theme.set_font_size(self, self._size)
        self._update_height()
        self.update()

    def resize_type(self, size: int) -> None:
        """Set the type size of the names, on the type scale."""
        if size != self._size:
            self._size = size
            self.apply_theme()

    def show_entries(self, entries: Sequence[LegendEntry]) -> None:
        """Replace the entries."""
        self.setVisible(bool(entries) or self._reserved_rows > 0)
        if tuple(entries) == self._entries:
            return
        self._entries = tuple(entries)
        self.setAccessibleDescription(", ".join(entry.name for entry in entries))
        self._update_height()
        self.update()

    def limit_rows(self, max_rows: int) -> None:
        """Limit the number of rows, for short plots."""
        if max_rows != self._max_rows:
            self._max_rows = max_rows
            self._update_height()
            self.update()

    def reserve_rows(self, min_rows: int) -> None:
        """Reserve the height of this many rows."""
        if min_rows != self._reserved_rows:
            self._reserved_rows = min_rows
            self.setVisible(bool(self._entries) or min_rows > 0)
            self._update_height()

    @property
    def rows(self) -> int:
        """Number of rows at the current width."""
        return len(self._compute_rows()) if self._entries else 0

    @property
    def is_complete(self) -> bool:
        """Whether all entries are visible at the current width."""
        return self.list_texts() == list(self.names)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all entries, visible or not."""
        return tuple(entry.name for entry in self._entries)

    @property
    def single_row_width(self) -> int:
        """Width of all entries in one row."""
        return sum(self._get_entry_width(entry) + _ENTRY_GAP for entry in self._entries)

    def _get_entry_width(self, entry: LegendEntry) -> int:
        # Rounded up, as a name that lacks a part of a pixel would be elided.
        name_width = QFontMetricsF(self.font()).horizontalAdvance(entry.name)
        return self._sample_width + ceil(name_width)

    def _lay_out_grid(self) -> list[list[tuple[float, LegendEntry]]]:
        """Return the rows of a grid with as many columns as fit."""
        lefts = [0]
        for n_columns in range(len(self._entries), 1, -1):
            columns = [self._entries[column::n_columns] for column in range(n_columns)]
            widths = [max(map(self._get_entry_width, each)) + 2 * _ENTRY_GAP for each in columns]
            if sum(widths) - 2 * _ENTRY_GAP <= self.width():
                lefts = [sum(widths[:column]) for column in range(n_columns)]
                break
        rows = [
            list(zip(map(float, lefts), self._entries[start : start + len(lefts)], strict=False))
            for start in range(0, len(self._entries), len(lefts))
        ]
        return rows[: self._max_rows]

    @property
    def _font_scale(self) -> float:
        """Type size of the names relative to the smallest one at a scale of 1."""
        return self.font().pixelSize() / theme.SMALL

    @property
    def _sample_width(self) -> int:
        """Width in pixels of the sample and gap before a name."""
        return round(self._font_scale * (_SAMPLE_SIZE + _GAP))

    def sizeHint(self) -> QSize:
        """Return the height of the rows needed at this width."""
        return QSize(200, self.row_height * max(self.rows, self._reserved_rows))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._update_height()

    @property
    def row_height(self) -> int:
        """Height of a row in pixels."""
        return self.fontMetrics().height() + 4

    def _update_height(self) -> None:
        height = self.row_height * max(self.rows, self._reserved_rows)
        if self.height() != height or self.minimumHeight() != height:
            self.setFixedHeight(height)
        self.setToolTip("" if self.is_complete else make_plain_tip("\n".join(self.names)))

    def _compute_rows(self) -> list[list[tuple[float, LegendEntry]]]:
        """Return the left edges of the entries per row, within the allowed rows."""
        if self._in_grid:
            return self._lay_out_grid()
        rows: list[list[tuple[float, LegendEntry]]] = [[]]
        left = 0.0
        for entry in self._entries:
            width = self._get_entry_width(entry)
            if rows[-1] and left + width > self.width():
                if len(rows) == self._max_rows:
                    return self._fit_overflow_count(rows)
                rows.append([])
                left = 0.0
            rows[-1].append((left, entry))
            left += width + _ENTRY_GAP
        return rows

    def _fit_overflow_count(
        self, rows: list[list[tuple[float, LegendEntry]]]
    ) -> list[list[tuple[float, LegendEntry]]]:
        """Remove the last entries until the count of hidden entries fits; keep the first."""
        while len(row := rows[-1]) > 1:
            left, entry = row[-1]
            if left + self._get_entry_width(entry) + self._get_overflow_width(rows) <= self.width():
                break
            row.pop()
        return rows

    def _get_overflow_width(self, rows: list[list[tuple[float, LegendEntry]]]) -> int:
        """Return the width of the number of hidden entries, with its gap; 0 if none is hidden."""
        hidden = len(self._entries) - sum(map(len, rows))
        return _ENTRY_GAP + self.fontMetrics().horizontalAdvance(f"+ {hidden}") if hidden else 0

    def list_texts(self) -> list[str]:
        """Return the names as they are drawn, and the number of hidden ones: "+ 3"."""
        rows = self._compute_rows()
        texts = [self._elide_name(left, entry, rows, row) for row in rows for left, entry in row]
        hidden = len(self._entries) - len(texts)
        return [*texts, f"+ {hidden}"] if hidden else texts

    def _elide_name(
        self,
        left: float,
        entry: LegendEntry,
        rows: list[list[tuple[float, LegendEntry]]],
        row: list[tuple[float, LegendEntry]],
    ) -> str:
        """Return an entry's name, elided if it alone is wider than its row."""
        count = self._get_overflow_width(rows) if row is rows[-1] else 0
        available = self.width() - left - self._sample_width - count
        return self.fontMetrics().elidedText(
            entry.name, Qt.TextElideMode.ElideRight, int(available)
        )

    def paintEvent(self, event: QPaintEvent) -> None:
        del event
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(self.font())
        rows, height = self._compute_rows(), self.row_height
        right = 0.0
        for number, row in enumerate(rows):
            for left, entry in row:
                top = number * height
                painter.save()
                painter.translate(left + self._font_scale * _SAMPLE_SIZE / 2, top + height / 2)
                painter.scale(self._font_scale, self._font_scale)
                _draw_sample(painter, entry)
                painter.restore()
                painter.setPen(QColor(theme.current().text))
                area = QRectF(left + self._sample_width, top, self.width(), height)
                name = self._elide_name(left, entry, rows, row)
                painter.drawText(area, Qt.AlignmentFlag.AlignVCenter, name)
                right = area.left() + self.fontMetrics().horizontalAdvance(name)
        n_hidden = len(self._entries) - sum(len(row) for row in rows)
        if n_hidden:
            painter.setPen(QColor(theme.current().muted))
            area = QRectF(right + _ENTRY_GAP, (len(rows) - 1) * height, self.width(), height)
            painter.drawText(area, Qt.AlignmentFlag.AlignVCenter, f"+ {n_hidden}")
        painter.end()


def _draw_sample(painter: QPainter, entry: LegendEntry) -> None:
    sample, half, qcolor = entry.sample, _SAMPLE_SIZE / 2, get_colour(entry.ink)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(qcolor)
    if sample in _OUTLINES:
        painter.setPen(QPen(qcolor, 1.5))
        painter.setBrush(Qt.BrushStyle.NoBrush)
    if sample in ("line", "dash"):
        pen = QPen(qcolor, 2)
        if sample == "dash":
            pen.setDashPattern([3, 2])
        painter.setPen(pen)
        painter.drawLine(QPointF(-half, 0), QPointF(half, 0))
    elif sample in ("dot", "ring"):
        radius = 3.0 if sample == "dot" else 5.0
        painter.drawEllipse(QPointF(0, 0), radius, radius)
    elif sample in _TRIANGLES:
        painter.drawPolygon([QPointF(x, y) for x, y in _TRIANGLES[sample]])
    elif sample in ("cross", "plus"):
        for x, y in ((-4, -4), (-4, 4)) if sample == "cross" else ((-5, 0), (0, -5)):
            painter.drawLine(QPointF(x, y), QPointF(-x, -y))
    elif sample == "tick":
        painter.drawRect(QRectF(-1, -5, 2, 10))
    elif sample == "square":
        painter.drawRoundedRect(QRectF(-5, -5, 10, 10), theme.MARK, theme.MARK)
    else:
        painter.drawRect(QRectF(-half, -5, _SAMPLE_SIZE, 10))
