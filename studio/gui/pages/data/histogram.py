"""Histograms of columns: small ones for headers and lists, and a larger one."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from studio.data.distribution import Distribution
from studio.gui.base import theme
from studio.gui.base.tooltips import make_plain_tip
from studio.language import format_cell, format_shares, ntr, tr
from studio.measure import format_quantity, format_range_ends

_ROW_HEIGHT = 20
_MAX_NAMED_BARS = 10


def paint_bars(painter: QPainter, area: QRectF, distribution: Distribution, colour: QColor) -> None:
    """Paint a distribution's bars, the highest as tall as the area (in pixels)."""
    counts = distribution.counts
    if not counts:
        return
    step = min(area.width() / len(counts), 14.0 if distribution.labels else area.width())
    max_count = max(counts)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    gap = 1.0 if step >= 4 else 0.0
    for index, count in enumerate(counts):
        if count:
            height = max(1.0, area.height() * count / max_count)
            left = area.left() + index * step
            painter.drawRect(QRectF(left, area.bottom() - height, step - gap, height))


def describe_bar(distribution: Distribution, index: int) -> str:
    """Describe one bar: "From 1.5 to 2: 12 rows"."""
    counts, labels = distribution.counts, distribution.labels
    rows = ntr("{count} row", "{count} rows", counts[index])
    if labels:
        return tr("“{value}”: {rows}", value=labels[index], rows=rows)
    low, high = distribution.edges or (0.0, 0.0)
    step = (high - low) / len(counts)
    if step == 1 and low % 1 == 0.5:
        value = low + index + 0.5
        formatted = (
            format_quantity(value, distribution.unit) if distribution.unit else format_cell(value)
        )
        return tr("{value}: {rows}", value=formatted, rows=rows)
    first, last = format_range_ends(low + index * step, low + (index + 1) * step, distribution.unit)
    values = {"low": first, "high": last}
    if index == 0 and distribution.n_below:
        return tr("≤ {high}: {rows}", rows=rows, **values)
    if index == len(counts) - 1 and distribution.n_above:
        return tr("≥ {low}: {rows}", rows=rows, **values)
    return tr("From {low} to {high}: {rows}", rows=rows, **values)


def summarise_distribution(distribution: Distribution) -> str:
    """Describe a distribution in one line, for screen readers."""
    counts = distribution.counts
    if not counts:
        return tr("No values")
    if distribution.labels:
        first = ", ".join(describe_bar(distribution, index) for index in range(min(3, len(counts))))
        suffix = tr(" and others") if len(counts) > 3 or distribution.n_other else ""
        return first + suffix
    return describe_bar(distribution, max(range(len(counts)), key=counts.__getitem__))


class HistogramView(QWidget):
    """One column's distribution: classes as named bars with shares, numbers as a histogram."""

    def __init__(self) -> None:
        super().__init__()
        self._distribution: Distribution | None = None
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.hide()

    def show_distribution(self, distribution: Distribution | None, name: str = "") -> None:
        """Show a distribution, or nothing."""
        self._distribution = (
            distribution if distribution is not None and distribution.counts else None
        )
        self.setVisible(self._distribution is not None)
        if self._distribution is not None:
            self.setAccessibleName(tr("Distribution of {name}", name=name))
            self.setAccessibleDescription(summarise_distribution(self._distribution))
            self.setFixedHeight(self.sizeHint().height())
        self.update()

    def sizeHint(self) -> QSize:
        """Return the size of the named bars, or of a histogram with its axis."""
        if self._distribution is None:
            return QSize(200, 0)
        row = round(_ROW_HEIGHT * theme.font(theme.SMALL).pixelSize() / theme.SMALL)
        if self._distribution.labels:
            return QSize(200, row * len(self._list_bars()))
        return QSize(200, 3 * row)

    def minimumSizeHint(self) -> QSize:
        """Return the same size, so that nothing is clipped."""
        return self.sizeHint()

    def _list_bars(self) -> list[tuple[str, int]]:
        """Return the named bars: the most frequent classes, and one for the rest."""
        assert self._distribution is not None
        pairs = list(zip(self._distribution.labels, self._distribution.counts, strict=True))
        n_others = sum(count for _, count in pairs[_MAX_NAMED_BARS:]) + self._distribution.n_other
        return [*pairs[:_MAX_NAMED_BARS], *([(tr("others"), n_others)] if n_others else [])]

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._distribution is None:
            return
        painter = QPainter(self)
        painter.setFont(theme.font(theme.SMALL))
        if self._distribution.labels:
            self._paint_classes(painter)
        else:
            self._paint_numbers(painter)
        painter.end()

    def _paint_classes(self, painter: QPainter) -> None:
        tokens, rows = theme.current(), self._list_bars()
        total, max_count = sum(count for _, count in rows), max(count for _, count in rows)
        height = self.height() / len(rows)
        metrics = painter.fontMetrics()
        name_width = min(
            0.4 * self.width(), max(metrics.horizontalAdvance(label) for label, _ in rows) + 12
        )
        share_width = metrics.horizontalAdvance("100.0 %") + 8
        bar_width = self.width() - name_width - share_width
        share_texts = format_shares(
            [count / total if total else 0.0 for _, count in rows], round_up=False
        )
        for index, (label, count) in enumerate(rows):
            top = index * height
            name = metrics.elidedText(label, Qt.TextElideMode.ElideRight, int(name_width) - 8)
            painter.setPen(theme.colour(tokens.text))
            middle = Qt.AlignmentFlag.AlignVCenter
            painter.drawText(QRectF(0, top, name_width, height), middle, name)
            painter.setPen(theme.colour(tokens.muted))
            share = QRectF(self.width() - share_width, top, share_width, height)
            text = share_texts[index]
            painter.drawText(share, middle | Qt.AlignmentFlag.AlignRight, text)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.colour(tokens.accent, 0.75))
            width = max(1.0, bar_width * count / max_count)
            painter.drawRect(QRectF(name_width, top + 0.25 * height, width, 0.5 * height))

    def _paint_numbers(self, painter: QPainter) -> None:
        assert self._distribution is not None
        tokens = theme.current()
        text = painter.fontMetrics().height()
        area = QRectF(0, 2, self.width(), self.height() - text - 6)
        paint_bars(painter, area, self._distribution, theme.colour(tokens.accent, 0.75))
        painter.setPen(theme.colour(tokens.border))
        painter.drawLine(area.bottomLeft(), area.bottomRight())
        painter.setPen(theme.colour(tokens.muted))
        low, high = self._distribution.edges or (0.0, 0.0)
        footer = QRectF(0, self.height() - text - 2, self.width(), text + 2)
        lower_sign = "≤ " if self._distribution.n_below else ""
        upper_sign = "≥ " if self._distribution.n_above else ""
        first, last = format_range_ends(low, high, self._distribution.unit)
        painter.drawText(footer, Qt.AlignmentFlag.AlignLeft, f"{lower_sign}{first}")
        painter.drawText(footer, Qt.AlignmentFlag.AlignRight, f"{upper_sign}{last}")

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        distribution = self._distribution
        if distribution is None:
            return
        is_numeric = not distribution.labels
        indices = len(distribution.counts) if is_numeric else len(self._list_bars())
        share = (
            event.position().x() / self.width()
            if is_numeric
            else (event.position().y() / self.height())
        )
        index = min(max(int(share * indices), 0), indices - 1)
        if index < len(distribution.counts) and (is_numeric or index < _MAX_NAMED_BARS):
            self.setToolTip(make_plain_tip(describe_bar(distribution, index)))
        else:
            others = self._list_bars()[-1][1]
            text = tr("Other values: {rows}", rows=ntr("{count} row", "{count} rows", others))
            self.setToolTip(make_plain_tip(text))
