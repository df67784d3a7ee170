"""Two losses with their intervals on one scale: the ensemble beside the best single model."""

from PySide6.QtCore import QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from studio.figures.intervals import IntervalRow, interval_diagram
from studio.figures.shapes import Diagram
from studio.gui.base import theme
from studio.gui.base.language import tr
from studio.gui.pages.results.views.model import ShownLoss
from studio.gui.plots.colours import ENSEMBLE, SINGLE
from studio.gui.session.wording import loss
from studio.gui.widgets.diagram_view import paint


class IntervalChart(QWidget):
    """A dot with a whisker for each estimate; lower (further left) is better."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows: tuple[IntervalRow, ...] = ()
        self._unit = ""
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        """Leave a row for each estimate and one for the scale."""
        return QSize(360, theme.pixels(self._diagram(360).height) if self._rows else 0)

    def minimumSizeHint(self) -> QSize:
        """Keep the height: half a chart says nothing."""
        return QSize(200, self.sizeHint().height())

    def show_estimates(self, estimates: tuple[ShownLoss, ...], unit: str) -> None:
        """Show these losses, the ensemble's first, written in this unit."""
        self._unit = unit
        self._rows = tuple(
            _row(each, each.value, unit, f"series {place}")
            for each, place in zip(estimates, (ENSEMBLE, SINGLE), strict=True)
            if each.value is not None
        )
        self.setAccessibleName("; ".join(f"{each.name}: {each.text}" for each in self._rows))
        self.updateGeometry()
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw it as wide as there is room."""
        if not self._rows:
            return
        painter = QPainter(self)
        painter.scale(theme.scale(), theme.scale())
        paint(painter, self._diagram(self.width() / theme.scale()), theme.current())
        painter.end()

    def _diagram(self, width: float) -> Diagram:
        return interval_diagram(
            self._rows,
            lambda value: loss(value, self._unit),
            self.accessibleName(),
            tr("lower is better"),
            width,
        )


def _row(each: ShownLoss, value: float, unit: str, colour: str) -> IntervalRow:
    text = loss(value, unit)
    if each.interval is not None:
        low, high = (loss(end, unit) for end in each.interval)
        text = tr("{value}   ({low} to {high})", value=text, low=low, high=high)
    return IntervalRow(each.title, value, each.interval, text, colour)
