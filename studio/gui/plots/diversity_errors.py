"""Each member's error against its diversity, as items on a plot's axes."""

from typing import Any

import numpy as np
import pyqtgraph
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor

from studio.gui.base import theme
from studio.gui.base.language import tr
from studio.gui.plots.colours import ENSEMBLE
from studio.gui.plots.diversity_errors_model import ErrorsPicture
from studio.gui.plots.measure import Measure
from studio.gui.plots.painting import canvas
from studio.gui.plots.painting.symbols import Dots

_SMALLEST, _LARGEST = 8.0, 20.0
"""Diameters of the lightest and the heaviest member's dot."""


class DiversityErrors:
    """Dots as large as their members are heavy, and a line at the ensemble's error.

    Parameters
    ----------
    axes : PlotItem
        Where it is drawn; shared with other views.
    """

    def __init__(self, axes: Any) -> None:
        self._axes = axes
        self._line = pyqtgraph.InfiniteLine(angle=0)
        self._dots = Dots()
        self._places = np.empty(0, dtype=np.int64)
        for depth, item in enumerate((self._line, self._dots)):
            item.setZValue(10 + depth)
            axes.addItem(item, ignoreBounds=True)

    def hide(self) -> None:
        """Leave the axes to another view."""
        self._line.setVisible(False)
        self._dots.setVisible(False)

    def draw(
        self, picture: ErrorsPicture, colours: dict[str, QColor], measure: Measure, which: str
    ) -> None:
        """Draw the dots and set the axes to them."""
        axes, look = self._axes, theme.current()
        there = np.isfinite(picture.ensemble)
        self._line.setVisible(bool(there))
        self._line.setPen(canvas.line(QColor(look.series[ENSEMBLE]), dashed=True))
        if there:
            self._line.setPos(picture.ensemble)
        heaviest = float(picture.weights.max(initial=0.0)) or 1.0
        sizes = _SMALLEST + (_LARGEST - _SMALLEST) * np.sqrt(picture.weights / heaviest)
        self._dots.setVisible(True)
        # One brush a branch: pyqtgraph draws a symbol anew for every brush object.
        brushes = {branch: pyqtgraph.mkBrush(colours[branch]) for branch in set(picture.branches)}
        # A member newer than what the window has read; Qt crashes over a symbol without a place.
        self._places = np.flatnonzero(np.isfinite(picture.errors))
        self._dots.setData(
            x=picture.diversity[self._places],
            y=picture.errors[self._places],
            size=theme.stroke(1.0) * sizes[self._places],
            brush=[brushes[picture.branches[place]] for place in self._places],
            pen=canvas.hairline(QColor(look.surface)),
        )
        heights = np.append(picture.errors, picture.ensemble)
        heights = heights[np.isfinite(heights)]
        low, high = float(heights.min(initial=np.inf)), float(heights.max(initial=-np.inf))
        if low > high:
            low, high = 0.0, 1.0
        room = 0.12 * (high - low) or 0.05 * abs(high) or 0.5
        axes.showGrid(x=True, y=True, alpha=0.12)
        axes.getViewBox().invertY(False)
        for side in ("left", "bottom"):
            axes.getAxis(side).setTicks(None)
        wide = 1.1 * float(picture.diversity.max(initial=0.0)) or 1.0
        axes.setRange(
            xRange=(-0.03 * wide, wide), yRange=(max(low - room, -room), high + room), padding=0
        )
        canvas.label(axes, "left", measure.label)
        canvas.label(
            axes,
            "bottom",
            tr("mean diversity to the other members")
            if which == "mean"
            else tr("diversity to the most similar member"),
        )

    def place_at(self, where: QPointF) -> int:
        """Return the number of the dot at a position of the scene; -1 for none."""
        points = self._dots.pointsAt(self._axes.getViewBox().mapSceneToView(where))
        return int(self._places[points[0].index()]) if len(points) else -1
