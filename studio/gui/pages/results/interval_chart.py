"""Two losses with their intervals on one scale: the ensemble beside the best single model."""

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from studio.gui.base import theme
from studio.gui.base.language import tr
from studio.gui.pages.results.model import Estimate
from studio.gui.plots.colours import ENSEMBLE, SINGLE
from studio.gui.session.wording import loss

_LEFT = 8
_ROW, _FOOT = 44, 30
"""Heights in device-independent pixels at a scale of 1."""


class IntervalChart(QWidget):
    """A dot with a whisker for each estimate; lower (further left) is better."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._estimates: tuple[Estimate, ...] = ()
        self._unit = ""
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        """Leave a row for each estimate and one for the scale."""
        return QSize(360, theme.pixels(_ROW * max(2, len(self._estimates)) + _FOOT))

    def minimumSizeHint(self) -> QSize:
        """Keep the height: half a chart says nothing."""
        return QSize(200, self.sizeHint().height())

    def show_estimates(self, estimates: tuple[Estimate, ...], unit: str) -> None:
        """Show these losses, written in this unit."""
        self._estimates = tuple(each for each in estimates if each.value is not None)
        self._unit = unit
        self.setAccessibleName("; ".join(_words(each, unit) for each in self._estimates))
        self.updateGeometry()
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw names, numbers, whiskers, dots and the scale."""
        if not self._estimates:
            return
        tokens = theme.current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        low, high = self._range()
        span = self.width() - 2 * _LEFT

        def at(value: float) -> float:
            return _LEFT + span * (value - low) / (high - low)

        for row, each in enumerate(self._estimates):
            colour = tokens.series[ENSEMBLE if row == 0 else SINGLE]
            self._paint_row(painter, theme.pixels(row * _ROW), each, colour, at)
        foot = theme.pixels(_ROW * len(self._estimates)) + 2
        painter.setPen(QPen(theme.colour(tokens.border), 1))
        painter.drawLine(QPointF(_LEFT, foot), QPointF(_LEFT + span, foot))
        painter.setFont(theme.font(theme.SMALL))
        painter.setPen(theme.colour(tokens.muted))
        for value, side in ((low, Qt.AlignmentFlag.AlignLeft), (high, Qt.AlignmentFlag.AlignRight)):
            painter.drawText(
                QRectF(_LEFT, foot + 2, span, theme.pixels(18)), side, loss(value, self._unit)
            )
        painter.drawText(
            QRectF(_LEFT, foot + 2, span, theme.pixels(18)),
            Qt.AlignmentFlag.AlignHCenter,
            tr("lower is better"),
        )
        painter.end()

    def _paint_row(
        self, painter: QPainter, top: float, each: Estimate, colour: str, at: object
    ) -> None:
        assert callable(at)
        assert each.value is not None
        tokens = theme.current()
        painter.setFont(theme.font(theme.BODY))
        painter.setPen(theme.colour(tokens.text))
        span = self.width() - 2 * _LEFT
        painter.drawText(
            QRectF(_LEFT, top, span, theme.pixels(20)), Qt.AlignmentFlag.AlignLeft, each.title
        )
        painter.setFont(theme.font(theme.BODY, bold=True))
        painter.drawText(
            QRectF(_LEFT, top, span, theme.pixels(20)),
            Qt.AlignmentFlag.AlignRight,
            _figure(each, self._unit),
        )
        y = top + theme.pixels(31)
        painter.setPen(QPen(theme.colour(tokens.raised), 2))
        painter.drawLine(QPointF(_LEFT, y), QPointF(_LEFT + span, y))
        if each.low is not None and each.high is not None:
            pen = QPen(theme.colour(colour), 3)
            pen.setCapStyle(Qt.PenCapStyle.RoundCap)
            painter.setPen(pen)
            painter.drawLine(QPointF(at(each.low), y), QPointF(at(each.high), y))
        painter.setPen(QPen(theme.colour(tokens.surface), 2))
        painter.setBrush(theme.colour(colour))
        painter.drawEllipse(QPointF(at(each.value), y), 7, 7)

    def _range(self) -> tuple[float, float]:
        values = [
            value
            for each in self._estimates
            for value in (each.value, each.low, each.high)
            if value is not None
        ]
        low, high = min(values), max(values)
        margin = 0.15 * (high - low) or 0.1 * abs(high) or 0.01
        # A loss cannot be below zero: a scale that says so would only puzzle.
        return (max(0.0, low - margin) if low >= 0 else low - margin), high + margin


def _figure(each: Estimate, unit: str) -> str:
    text = loss(each.value, unit)
    if each.low is None or each.high is None:
        return text
    return tr(
        "{value}   ({low} to {high})",
        value=text,
        low=loss(each.low, unit),
        high=loss(each.high, unit),
    )


def _words(each: Estimate, unit: str) -> str:
    return f"{each.title}: {_figure(each, unit)}"
