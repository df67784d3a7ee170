"""What the plot of errors draws: a confusion matrix, curves, a reliability diagram, dots, bars."""

from typing import Any

import numpy as np
import pyqtgraph
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetrics

from studio.arrays import Floats, Integers
from studio.data.metrics.curves import Curve, as_steps
from studio.gui.base import theme
from studio.gui.base.language import number, percent, tr
from studio.gui.plots.colours import ENSEMBLE, SINGLE
from studio.gui.plots.errors_model import (
    HISTOGRAM,
    PRECISION,
    RELIABILITY,
    RESIDUALS,
    ROC,
    SCATTER,
    ErrorsPicture,
    frequency,
)
from studio.gui.plots.matrix_numbers import MatrixNumbers
from studio.gui.plots.painting import canvas
from studio.gui.plots.painting.axes import axis_width
from studio.gui.plots.painting.scale import scale_table
from studio.gui.plots.painting.symbols import Dots

_LOW = 0.22
"""Height of the fullest bin's bar in a reliability diagram, of the whole."""

_ROOM = 46
"""Pixels that a class' name is given below a matrix, before names are left out."""


class CountedShares(MatrixNumbers):
    """Writes counts, with the share of the row below where there is height; no zeros."""

    def __init__(self) -> None:
        super().__init__()
        self._counts: Integers = np.zeros((0, 0), dtype=np.int64)

    def show_counts(self, counts: Integers, shares: Floats) -> None:
        """Write these, each of shape (k, k)."""
        self._counts = counts
        self.show_values(np.where(counts > 0, shares, np.nan), 1.0, percent=True)

    def written(self, row: int, column: int, value: float, area: QRectF) -> str:
        """Write the count, and the share below."""
        count = number(int(self._counts[row, column]), ",d")
        high = QFontMetrics(theme.font(theme.SMALL - 1)).height()
        return f"{count}\n{percent(value, 0)}" if area.height() > 2 * high + 2 else count


class ErrorsItems:
    """All items on one pair of axes; each view shows its own.

    Parameters
    ----------
    axes : PlotItem
        Where they are drawn.
    """

    def __init__(self, axes: Any) -> None:
        self._axes = axes
        self._image = pyqtgraph.ImageItem(axisOrder="row-major")
        self._numbers = CountedShares()
        self._guide = pyqtgraph.PlotCurveItem()
        self._bars = pyqtgraph.BarGraphItem(x0=[], x1=[], y0=0, height=[], pen=None)
        self._curves = [pyqtgraph.PlotCurveItem() for _ in range(2)]
        self._marks = [Dots() for _ in range(2)]
        self._dots = Dots(size=6)
        self._ring = Dots(size=16)
        self._items = (
            self._image,
            self._numbers,
            self._bars,
            self._guide,
            *reversed(self._curves),
            *reversed(self._marks),
            self._dots,
            self._ring,
        )
        for depth, item in enumerate(self._items):
            item.setZValue(depth)
            axes.addItem(item, ignoreBounds=True)

    def dress(self) -> None:
        """Take the colours of the theme in force."""
        look = theme.current()
        both = (QColor(look.series[ENSEMBLE]), QColor(look.series[SINGLE]))
        for place, colour in enumerate(both):
            self._curves[place].setPen(canvas.line(colour, dashed=place == 1))
            self._marks[place].setBrush(colour)
            self._marks[place].setPen(canvas.hairline(QColor(look.surface)))
            self._marks[place].setSymbol("o" if place == 0 else "s")
        self._guide.setPen(canvas.hairline(QColor(look.muted), dashed=True))
        self._bars.setOpts(brush=theme.colour(look.series[ENSEMBLE], 0.3))
        self._dots.setBrush(theme.colour(look.series[ENSEMBLE], 0.6))
        self._dots.setPen(None)
        self._ring.setBrush(None)
        self._ring.setPen(canvas.line(QColor(look.text)))

    def show_matrix(self, picture: ErrorsPicture) -> None:
        """Draw the confusion matrix: true classes downwards, answers to the right."""
        matrix, axes = picture.matrix, self._axes
        assert matrix is not None, "values have no matrix"
        self._only(self._image, self._numbers)
        size = len(matrix.names)
        image = np.empty((size, size, 4), dtype=np.uint8)
        image[..., :3] = scale_table()[(255 * np.nan_to_num(matrix.shares)).astype(int)]
        image[..., 3] = np.where(np.isnan(matrix.shares), 0, 255)
        self._image.setImage(image, autoLevels=False, levels=None)
        self._image.setRect(0, 0, size, size)
        self._numbers.show_counts(matrix.counts, matrix.shares)
        axes.showGrid(x=False, y=False)
        axes.getViewBox().invertY(True)
        metrics = QFontMetrics(theme.font(theme.SMALL - 1))
        names = [elided(metrics, name, 14 * theme.GRID) for name in matrix.names]
        step = canvas.label_step(axes, size)
        ticks = [(place + 0.5, names[place]) for place in range(0, size, step)]
        axes.getAxis("left").setTicks([ticks])
        axes.getAxis("left").setWidth(axis_width([text for _, text in ticks]))
        cell = max(1.0, axes.getViewBox().width() / size)
        step = max(1, -(-min(_ROOM, _longest(metrics, names)) // int(cell)))
        narrow = [elided(metrics, name, int(cell * step) - 4) for name in matrix.names]
        axes.getAxis("bottom").setTicks([[(p + 0.5, narrow[p]) for p in range(0, size, step)]])
        axes.setRange(xRange=(0, size), yRange=(0, size), padding=0)
        canvas.label(axes, "left", tr("true class"))
        canvas.label(axes, "bottom", tr("the ensemble's answer"))

    def show_curves(self, picture: ErrorsPicture, view: str) -> None:
        """Draw ROC or precision-recall curves."""
        self._only(*self._curves, self._guide)
        key = "roc" if view == ROC else "pr"
        xs, ys = picture.arrays[f"{key}_x"], picture.arrays[f"{key}_y"]
        for place, item in enumerate(self._curves):
            item.setVisible(place < len(xs))
            if place < len(xs):
                x, y = xs[place], ys[place]
                if view == PRECISION:
                    x, y = as_steps(Curve(x, y, 0.0))
                item.setData(x, y)
        level = frequency(picture)
        self._guide.setData([0, 1], [0, 1] if view == ROC else [level, level])
        self._unit_square()
        if view == ROC:
            canvas.label(self._axes, "left", tr("found: true positive rate (%)"))
            canvas.label(self._axes, "bottom", tr("false alarms: false positive rate (%)"))
        else:
            canvas.label(self._axes, "left", tr("right among those picked: precision (%)"))
            canvas.label(self._axes, "bottom", tr("found: recall (%)"))

    def show_reliability(self, picture: ErrorsPicture) -> None:
        """Draw what was said against what came, and how many rows each bin has."""
        self._only(*self._curves, *self._marks, self._guide, self._bars)
        arrays = picture.arrays
        for place, (item, mark) in enumerate(zip(self._curves, self._marks, strict=True)):
            there = place < len(arrays["bin_said"])
            item.setVisible(there)
            mark.setVisible(there)
            if there:
                filled = arrays["bin_counts"][place] > 0
                x, y = arrays["bin_said"][place][filled], arrays["bin_came"][place][filled]
                item.setData(x, y)
                mark.setData(x=x, y=y, size=theme.stroke(8.0))
        counts = arrays["bin_counts"][0]
        edges = np.linspace(0, 1, len(counts) + 1)
        self._bars.setOpts(
            x0=edges[:-1] + 0.004,
            x1=edges[1:] - 0.004,
            y0=0,
            height=_LOW * counts / max(1, int(counts.max())),
        )
        self._guide.setData([0, 1], [0, 1])
        self._unit_square()
        canvas.label(self._axes, "left", tr("was true (% of the bin's rows)"))
        canvas.label(self._axes, "bottom", tr("probability that was said (%)"))

    def show_dots(self, picture: ErrorsPicture, view: str, chosen: int) -> None:
        """Draw every row as a dot; the one with this number is ringed."""
        self._only(self._dots, self._guide, self._ring)
        arrays = picture.arrays
        truth, said = arrays["dots_truth"], arrays["dots_said"]
        x, y = (truth, said) if view == SCATTER else (said, said - truth)
        self._dots.setData(x=x, y=y)
        ringed = np.flatnonzero(arrays["dots"] == chosen)
        self._ring.setData(x=x[ringed], y=y[ringed])
        low, high = float(x.min()), float(x.max())
        if view == SCATTER:
            low, high = min(low, float(y.min())), max(high, float(y.max()))
        room = 0.04 * (high - low) or 0.5
        ends = (low - room, high + room)
        self._guide.setData(list(ends), list(ends) if view == SCATTER else [0.0, 0.0])
        self._plain_axes()
        reach = 1.08 * float(np.abs(y).max()) or 1.0
        self._axes.setRange(
            xRange=ends, yRange=ends if view == SCATTER else (-reach, reach), padding=0
        )
        name = picture.target
        if view == SCATTER:
            canvas.label(self._axes, "left", tr("predicted {target} (its unit)", target=name))
            canvas.label(self._axes, "bottom", tr("true {target} (its unit)", target=name))
        else:
            canvas.label(self._axes, "left", tr("predicted minus true (unit of {target})",
                                                target=name))  # fmt: skip
            canvas.label(self._axes, "bottom", tr("predicted {target} (its unit)", target=name))

    def show_histogram(self, picture: ErrorsPicture) -> None:
        """Draw the ensemble's residuals as bars, and the single model's as a line of steps."""
        self._only(self._bars, self._guide, self._curves[1])
        edges, bars = picture.arrays["edges"], picture.arrays["bars"]
        inset = 0.05 * (edges[1] - edges[0])
        self._bars.setOpts(x0=edges[:-1] + inset, x1=edges[1:] - inset, y0=0, height=bars[0])
        self._curves[1].setVisible(len(bars) > 1)
        if len(bars) > 1:
            heights = np.concatenate([[0], np.repeat(bars[1], 2), [0]])
            self._curves[1].setData(np.repeat(edges, 2), heights)
        top = 1.08 * max(1.0, float(bars.max()))
        self._guide.setData([0.0, 0.0], [0.0, top])
        self._plain_axes()
        self._axes.setRange(xRange=(edges[0], edges[-1]), yRange=(0, top), padding=0)
        canvas.label(self._axes, "left", tr("rows"))
        name = tr("predicted minus true (unit of {target})", target=picture.target)
        canvas.label(self._axes, "bottom", name)

    def dot_at(self, where: QPointF) -> int:
        """Return the place of the dot at a position of the scene; -1 for none."""
        points = self._dots.pointsAt(self._axes.getViewBox().mapSceneToView(where))
        return int(points[-1].index()) if len(points) else -1

    def draw(self, picture: ErrorsPicture, view: str, chosen: int) -> None:
        """Draw a view."""
        if view in (ROC, PRECISION):
            self.show_curves(picture, view)
        elif view == RELIABILITY:
            self.show_reliability(picture)
        elif view in (SCATTER, RESIDUALS):
            self.show_dots(picture, view, chosen)
        elif view == HISTOGRAM:
            self.show_histogram(picture)
        else:
            self.show_matrix(picture)

    def _only(self, *shown: Any) -> None:
        for item in self._items:
            item.setVisible(any(item is each for each in shown))

    def _unit_square(self) -> None:
        self._plain_axes()
        ticks = [[(k / 5, str(20 * k)) for k in range(6)]]
        for side in ("left", "bottom"):
            self._axes.getAxis(side).setTicks(ticks)
        self._axes.setRange(xRange=(-0.01, 1.03), yRange=(-0.01, 1.06), padding=0)

    def _plain_axes(self) -> None:
        self._axes.getViewBox().invertY(False)
        self._axes.showGrid(x=True, y=True, alpha=0.12)
        self._axes.getAxis("left").setWidth(axis_width(["−00.00"]))
        for side in ("left", "bottom"):
            self._axes.getAxis(side).setTicks(None)


def elided(metrics: QFontMetrics, text: str, width: int) -> str:
    """Return as much of a text as there is room for, with "…" at its end."""
    return metrics.elidedText(text, Qt.TextElideMode.ElideRight, max(width, 8))


def _longest(metrics: QFontMetrics, texts: list[str]) -> int:
    return max((metrics.horizontalAdvance(text) + 6 for text in texts), default=1)
