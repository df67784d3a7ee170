"""The two columns beside the membership raster: own error, and what a member adds."""

from typing import Any

import numpy as np
import pyqtgraph
from PySide6.QtGui import QColor

from studio.arrays import Floats
from studio.gui.base import theme
from studio.gui.base.language import number, tr
from studio.gui.plots.measure import Measure
from studio.gui.plots.membership_model import MemberColumns
from studio.gui.plots.painting import canvas
from studio.gui.plots.painting.legend import Entry
from studio.gui.plots.painting.symbols import Dots

WIDTH = 104
"""Pixels of each column; there is none where the plot is narrower than ``NARROW``."""

NARROW = 440

THICK = 0.7
"""Height of a bar, as a share of its row."""


class MemberColumnsView:
    """Draws :class:`MemberColumns` in a canvas, row by row beside other axes.

    Parameters
    ----------
    where : GraphicsLayoutWidget
        The canvas.
    beside : PlotItem
        The axes in column 0, whose rows are shared.
    """

    def __init__(self, where: Any, beside: Any) -> None:
        self._layout = where.ci.layout
        self.own, self.adds = canvas.add_axes(where, 0, 1), canvas.add_axes(where, 0, 2)
        for axes in (self.own, self.adds):
            axes.hideAxis("left")
            axes.getViewBox().invertY(True)
            axes.getViewBox().setMouseEnabled(False, False)
            axes.setYLink(beside)
            axes.getAxis("bottom").setStyle(hideOverlappingLabels=False)
        self._test = Dots(symbol="o", size=7, brush=None)
        self._validation = Dots(symbol="o", size=7, pen=None)
        self._bars = pyqtgraph.BarGraphItem(x0=[], x1=[], y0=[], y1=[], pen=None)
        self._added_test = Dots(symbol="o", size=7, brush=None)
        self._zero = pyqtgraph.InfiniteLine(pos=0, angle=90)
        for item in (self._test, self._validation):
            self.own.addItem(item, ignoreBounds=True)
        for item in (self._zero, self._bars, self._added_test):
            self.adds.addItem(item, ignoreBounds=True)

    def fit(self, width: int) -> None:
        """Take room where there is enough in a canvas of this width."""
        wide = width >= NARROW
        for column, axes in ((1, self.own), (2, self.adds)):
            axes.setVisible(wide)
            self._layout.setColumnFixedWidth(column, WIDTH if wide else 0)

    def dress(self, where: Any) -> None:
        """Take the colours of the theme in force."""
        look = theme.current()
        canvas.dress_canvas(where, self.own, self.adds)
        for axes in (self.own, self.adds):
            axes.showGrid(x=True, y=False, alpha=0.12)
        self._zero.setPen(canvas.hairline(QColor(look.muted)))
        # The branches have the series' colours, so these are of none.
        self._validation.setBrush(QColor(look.text))
        self._bars.setOpts(brush=theme.colour(look.text, 0.55))
        for rings in (self._test, self._added_test):
            rings.setPen(canvas.hairline(QColor(look.text)))

    def show_columns(self, columns: MemberColumns, measure: Measure) -> None:
        """Bring the columns up to date, one element a row."""
        rows = np.arange(len(columns.own), dtype=float)
        low, high = _own_range(columns)
        for item, values in ((self._validation, columns.own), (self._test, columns.own_test)):
            there = np.isfinite(values)
            item.setData(x=np.clip(values[there], low, high), y=rows[there])
        there = np.isfinite(columns.adds)
        ends, middles = columns.adds[there], rows[there]
        self._bars.setOpts(
            x0=np.minimum(ends, 0.0),
            x1=np.maximum(ends, 0.0),
            y0=middles - THICK / 2,
            y1=middles + THICK / 2,
        )
        there = np.isfinite(columns.adds_test)
        self._added_test.setData(x=columns.adds_test[there], y=rows[there])
        self._frame(columns, low, high, measure)

    def _frame(self, columns: MemberColumns, low: float, high: float, measure: Measure) -> None:
        edge = 0.08 * (high - low)
        self.own.setXRange(low - edge, high + edge, padding=0)
        every = np.concatenate([columns.adds, columns.adds_test])
        reach = float(np.nanmax(np.abs(every))) if np.isfinite(every).any() else 0.0
        reach = 1.15 * reach or 1.0
        self.adds.setXRange(-reach, reach, padding=0)
        self.adds.getAxis("bottom").setTicks([_ends(reach)])
        inset = 0.12 * (high - low)
        self.own.getAxis("bottom").setTicks([told_apart(low + inset, high - inset)])
        points = measure.unit == "%"
        canvas.label(self.own, "bottom", tr("own, %") if points else tr("own"))
        canvas.label(self.adds, "bottom", tr("adds, points") if points else tr("adds"))

    def entries(self) -> list[Entry]:
        """Return what is drawn, for the legend."""
        look = theme.current()
        return [
            Entry(tr("own error"), "dot", QColor(look.text)),
            Entry(tr("what it adds"), "square", theme.colour(look.text, 0.55)),
            Entry(tr("on test rows"), "ring", QColor(look.text)),
        ]


def _own_range(columns: MemberColumns) -> tuple[float, float]:
    """Return the errors between which is drawn: all members', and most of the others'."""
    members = np.concatenate([columns.own[columns.inside], columns.own_test])
    known: Floats = columns.own[np.isfinite(columns.own)]
    if not known.size:
        return 0.0, 1.0
    members = members[np.isfinite(members)]
    low = min(float(known.min()), float(members.min(initial=np.inf)))
    high = max(float(np.quantile(known, 0.75)), float(members.max(initial=-np.inf)))
    if high > low:
        return low, high
    # A loss below zero would only puzzle where there is none.
    return (max(0.0, low - 0.5) if low >= 0 else low - 0.5), high + 0.5


def told_apart(low: float, high: float) -> list[tuple[float, str]]:
    """Return two ticks with as many digits as it takes to tell them apart, two at the least."""
    for digits in range(2, 6):
        words = [number(place, f".{digits}g") for place in (low, high)]
        if words[0] != words[1]:
            return list(zip((low, high), words, strict=True))
    return [((low + high) / 2, number((low + high) / 2, ".2g"))]


def _ends(reach: float) -> list[tuple[float, str]]:
    """Return one round tick on each side of zero."""
    room = 0.6 * reach  # the text must not leave the axis
    power = 10.0 ** np.floor(np.log10(room))
    step = max(factor * power for factor in (1, 2, 5) if factor * power <= room)
    return [(-step, f"−{number(step)}"), (step, f"+{number(step)}")]
