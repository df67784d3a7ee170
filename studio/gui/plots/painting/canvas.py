"""The house's look for pyqtgraph: axes, pens and ranges, themed and without its own menus."""

from typing import Any

import pyqtgraph
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPen
from PySide6.QtWidgets import QGraphicsScene

from studio.gui.base import theme
from studio.gui.plots.painting.end_axis import EndAxis
from studio.gui.plots.painting.number_axis import NumberAxis
from studio.gui.plots.painting.symbols import PaintedDots

pyqtgraph.setConfigOptions(antialias=True)

LABEL_PIXELS = 14
"""Height that a row's name takes on an axis."""

_LEFT = 62
"""Width of a left axis, as long as its numbers need no more."""

_ROOMY = 165

RIGHT_MARGIN = 8
"""Pixels at the right of all axes."""


def make_canvas() -> Any:
    """Return an empty pyqtgraph layout that takes rows of axes."""
    canvas = pyqtgraph.GraphicsLayoutWidget()
    canvas.ci.layout.setContentsMargins(0, 4, RIGHT_MARGIN, 0)
    canvas.ci.layout.setVerticalSpacing(8)
    canvas.setFrameShape(canvas.Shape.NoFrame)
    canvas.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    # Every change moves most of the few items: an index of their places is never used twice.
    canvas.scene().setItemIndexMethod(QGraphicsScene.ItemIndexMethod.NoIndex)
    return canvas


def settle(canvas: Any) -> None:
    """Have ranges take effect now: pyqtgraph waits for the next paint, and then paints twice."""
    canvas.scene().prepareForPaint()


def shape_items(canvas: Any, wanted: bool) -> None:
    """Have everything painted as lines and shapes, as files want it, or from caches again."""
    cached = canvas.CacheModeFlag
    canvas.setCacheMode(cached.CacheNone if wanted else cached.CacheBackground)
    for item in canvas.scene().items():
        if isinstance(item, PaintedDots):
            item.setExportMode(wanted, {})


def add_axes(canvas: Any, row: int, column: int = 0) -> Any:
    """Add a plot to a canvas: no buttons and no menu; the wheel zooms, dragging moves."""
    sides = {"left": NumberAxis("left"), "bottom": NumberAxis("bottom"), "right": EndAxis()}
    axes = canvas.addPlot(row=row, col=column, axisItems=sides)
    axes.hideAxis("right")
    axes.hideButtons()
    axes.setMenuEnabled(False)
    axes.getViewBox().setDefaultPadding(0.0)
    axes.getAxis("left").setStyle(autoExpandTextSpace=False)
    axes.getAxis("left").setWidth(left_width())
    return axes


def left_width() -> int:
    """Return the least width of a left axis: the same for all, so that plots in a column align."""
    return theme.pixels(_LEFT)


def apply_canvas_theme(canvas: Any, *all_axes: Any) -> None:
    """Give a canvas and its axes the colours and fonts of the theme in force."""
    look = theme.current()
    canvas.setBackground(QColor(look.surface))
    for axes in all_axes:
        axes.showGrid(x=True, y=True, alpha=0.12)
        for side in ("left", "bottom"):
            axis = axes.getAxis(side)
            axis.setPen(QPen(QColor(look.border), 1))
            axis.setTextPen(QColor(look.muted))
            axis.setTickFont(theme.font(theme.SMALL))
            axis.setStyle(tickLength=-4, tickTextOffset=6 if side == "left" else 3)


def roomy_height() -> int:
    """Return the height of a canvas from which on axes one above another can have names."""
    return theme.pixels(_ROOMY)


def label_step(axes: Any, rows: int) -> int:
    """Return n such that there is height enough to name every n-th of these rows."""
    room = max(1, int(axes.getViewBox().height()) // theme.pixels(LABEL_PIXELS))
    return max(1, -(-rows // room))


def rows_of_room(canvas: Any) -> int:
    """Return how many names one above another a canvas of one panel has height for."""
    foot = theme.pixels(2.6 * theme.SMALL) + 8
    return max(0, int(canvas.height() - foot) // theme.pixels(LABEL_PIXELS))
