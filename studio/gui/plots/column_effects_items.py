"""What the plot of the columns draws: bars of importance, or a line over a column's values."""

import math
from typing import Any

import numpy as np
import pyqtgraph
from PySide6.QtGui import QColor, QFontMetrics

from studio.gui.base import theme
from studio.gui.base.language import number
from studio.gui.plots.column_effects_model import (
    ColumnsPicture,
    Effects,
    mean_label,
    rise_label,
    rise_text,
)
from studio.gui.plots.errors_items import elided
from studio.gui.plots.measure import Measure
from studio.gui.plots.painting import canvas
from studio.gui.plots.painting.axes import axis_width
from studio.gui.plots.painting.symbols import Dots

BARS, LINE = 0, 5
"""Places in ``Theme.series`` of the importance, and of what the ensemble says."""

_LEAST_ROWS = 5
_THICK = 0.62

_BENEATH = 0.3
"""Height of the distribution beneath a line, of the line's range."""


class ColumnItems:
    """The items of both views on one pair of axes.

    Parameters
    ----------
    axes : PlotItem
        Where they are drawn.
    """

    def __init__(self, axes: Any) -> None:
        self._axes = axes
        self._bars = pyqtgraph.BarGraphItem(x0=[], x1=[], y=[], height=_THICK, pen=None)
        self._spread = pyqtgraph.PlotCurveItem(connect="pairs")
        self._zero = pyqtgraph.InfiniteLine(pos=0, angle=90)
        self._beneath = pyqtgraph.BarGraphItem(x0=[], x1=[], y0=0, height=[], pen=None)
        self._line = pyqtgraph.PlotCurveItem()
        self._dots = Dots()
        self._numbers: list[pyqtgraph.TextItem] = []
        self._of_importance = (self._bars, self._spread, self._zero)
        self._of_effect = (self._beneath, self._line, self._dots)
        for depth, item in enumerate((*self._of_importance, *self._of_effect)):
            item.setZValue(depth)
            axes.addItem(item, ignoreBounds=True)

    def dress(self) -> None:
        """Take the colours of the theme in force."""
        look = theme.current()
        self._bars.setOpts(brush=QColor(look.series[BARS]))
        self._spread.setPen(canvas.line(QColor(look.text)))
        self._zero.setPen(canvas.hairline(QColor(look.muted), dashed=True))
        self._beneath.setOpts(brush=theme.colour(look.muted, 0.35))
        self._line.setPen(canvas.line(QColor(look.series[LINE])))
        self._dots.setBrush(QColor(look.series[LINE]))
        self._dots.setPen(canvas.hairline(QColor(look.surface)))
        for each in self._numbers:
            each.setColor(QColor(look.text))
            each.setFont(theme.font(theme.SMALL))

    def show_importance(self, picture: ColumnsPicture, measure: Measure) -> int:
        """Draw a bar for each column, or their names only while nothing is known.

        Returns
        -------
        int
            For how many columns there is room.
        """
        axes, effects = self._axes, picture.effects
        self._show(self._of_importance if effects is not None else ())
        room = int(axes.getViewBox().height()) // theme.pixels(canvas.LABEL_PIXELS)
        shown = list(picture.shown[: max(_LEAST_ROWS, room)])
        rows = np.arange(len(shown), dtype=float)
        ends = spread = np.zeros(len(shown))
        if effects is not None:
            ends = np.nan_to_num(measure.factor * effects.rise[shown])
            spread = np.nan_to_num(measure.factor * effects.spread[shown])
        self._bars.setOpts(x0=np.zeros(len(shown)), x1=ends, y=rows, height=_THICK)
        low, high = ends - spread, ends + spread
        told = spread > 0
        self._spread.setData(
            np.stack([low[told], high[told]], axis=1).ravel(), np.repeat(rows[told], 2)
        )
        top = max(float(high.max(initial=0.0)), 1e-12) if effects is not None else 1.0
        bottom = min(0.0, float(low.min(initial=0.0)))
        span = top - bottom
        texts = [] if effects is None else [rise_text(effects, k, measure) for k in shown]
        self._write(texts, np.maximum(high, 0.0) + 0.01 * span, rows)
        axes.getViewBox().invertY(True)
        axes.showGrid(x=True, y=False, alpha=0.12)
        metrics = QFontMetrics(theme.font(theme.SMALL - 1))
        names = [elided(metrics, picture.names[k], 18 * theme.GRID) for k in shown]
        axes.getAxis("left").setTicks([list(enumerate(names))])
        axes.getAxis("left").setWidth(axis_width(names) - 2 * theme.GRID)
        # No numbers on an axis on which nothing is drawn.
        axes.getAxis("bottom").setTicks([[]] if effects is None else None)
        canvas.label(axes, "left", "")
        axes.getAxis("left").showLabel(False)
        canvas.label(axes, "bottom", rise_label(measure))
        axes.setRange(
            xRange=(bottom - 0.02 * span, top + 0.24 * span),
            yRange=(-0.6, max(len(shown), _LEAST_ROWS) - 0.4),
            padding=0,
        )
        return len(shown)

    def show_effect(self, effects: Effects, name: str, code: int) -> None:
        """Draw what the ensemble says over the column's values, and their distribution beneath."""
        self._show(self._of_effect)
        self._write([], np.empty(0), np.empty(0))
        found, axes = effects.dependence(name), self._axes
        factor = 100.0 if effects.classes else 1.0
        y = factor * found.means[:, code if effects.classes else 0]
        low, high = (factor * each for each in effects.range_of(code))
        span = high - low
        floor = low - (_BENEATH + 0.06) * span
        starts, ends = found.bars
        inset = 0.05 * (ends - starts)
        heights = _BENEATH * span * found.counts / max(1, int(found.counts.max(initial=1)))
        self._beneath.setOpts(x0=starts + inset, x1=ends - inset, y0=floor, height=heights)
        categories = bool(found.labels)
        self._line.setVisible(not categories)
        self._line.setData(found.grid, y)
        self._dots.setData(x=found.grid, y=y, size=theme.stroke(10.0 if categories else 6.0))
        axes.getViewBox().invertY(False)
        axes.showGrid(x=not categories, y=True, alpha=0.12)
        # None beside the distribution, which has no scale.
        axes.getAxis("left").setTicks([ticks_within(low, high)])
        axes.getAxis("left").setWidth(axis_width(["−00.00"]))
        axes.getAxis("left").showLabel(True)
        left = float(starts[0]) if len(starts) else 0.0
        right = float(ends[-1]) if len(ends) else 1.0
        room = 0.02 * (right - left)
        axes.setRange(
            xRange=(left - room, right + room), yRange=(floor, high + 0.08 * span), padding=0
        )
        if categories:
            metrics = QFontMetrics(theme.font(theme.SMALL - 1))
            cell = axes.getViewBox().width() / len(found.labels)
            texts = [elided(metrics, each, int(cell) - 4) for each in found.labels]
            axes.getAxis("bottom").setTicks([list(enumerate(texts))])
        else:
            axes.getAxis("bottom").setTicks(None)
        canvas.label(axes, "left", mean_label(effects, code))
        canvas.label(axes, "bottom", name)

    def _write(self, texts: list[str], x: Any, y: Any) -> None:
        while len(self._numbers) < len(texts):
            made = pyqtgraph.TextItem(anchor=(0, 0.5))
            made.setColor(QColor(theme.current().text))
            made.setFont(theme.font(theme.SMALL))
            self._numbers.append(made)
            self._axes.addItem(made, ignoreBounds=True)
        for at, item in enumerate(self._numbers):
            item.setVisible(at < len(texts))
            if at < len(texts):
                item.setText(texts[at])
                item.setPos(float(x[at]), float(y[at]))

    def _show(self, shown: tuple[Any, ...]) -> None:
        for item in (*self._of_importance, *self._of_effect):
            item.setVisible(any(item is each for each in shown))


def ticks_within(low: float, high: float) -> list[tuple[float, str]]:
    """Return some four round numbers in an interval, with their texts."""
    rough = (high - low) / 4
    base = 10.0 ** math.floor(math.log10(rough))
    step = next(base * factor for factor in (1, 2, 5, 10) if base * factor >= rough)
    places = step * np.arange(math.ceil(low / step), math.floor(high / step) + 1)
    return [(float(place), number(float(place) + 0.0, ".4g")) for place in places]
