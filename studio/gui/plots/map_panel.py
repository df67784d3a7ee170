"""One panel of the surrogate map, as items on axes of its own."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyqtgraph
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor, QFontMetrics

from studio.gui.base import theme
from studio.gui.plots.colours import ENSEMBLE
from studio.gui.plots.map_model import MapPanel, MapPicture
from studio.gui.plots.painting import canvas
from studio.gui.plots.painting.scale import scale_table
from studio.gui.plots.painting.symbols import Dots

_EDGE = 0.02
"""Room around the map, so that marks on its border are seen whole."""

_ROOM = 56
"""Pixels that a tick's label needs along the bottom."""


class MapPanelItems:
    """Image, trials and next trial of one branch.

    Parameters
    ----------
    axes : PlotItem
        Where they are drawn.
    """

    def __init__(self, axes: Any) -> None:
        self.axes = axes
        axes.getViewBox().setMouseEnabled(False, False)
        self._image = pyqtgraph.ImageItem(axisOrder="row-major")
        self._dots = Dots(size=7)
        self._next = Dots(size=15, symbol="star")
        for depth, item in enumerate((self._image, self._dots, self._next)):
            item.setZValue(depth)
            axes.addItem(item, ignoreBounds=True)

    def dress(self) -> None:
        """Take the colours of the theme in force: marks that stand out on the whole scale."""
        look = theme.current()
        self._dots.setBrush(theme.colour("#ffffff", 0.9))
        self._dots.setPen(canvas.hairline(QColor("#10151c")))
        self._next.setBrush(QColor(look.series[ENSEMBLE]))
        self._next.setPen(canvas.hairline(QColor("#ffffff")))

    def draw(self, picture: MapPicture, panel: MapPanel, *, left: bool, bottom: bool) -> None:
        """Draw a branch; ``left`` and ``bottom`` say which axes are named.

        A single panel has no title: the hyperparameters' names say where they belong.
        """
        width = picture.high - picture.low or 1.0
        shares = np.nan_to_num((panel.values - picture.low) / width)
        image = np.empty((*panel.values.shape, 4), dtype=np.uint8)
        image[..., :3] = scale_table()[np.clip(shares * 255, 0, 255).astype(int)]
        image[..., 3] = np.where(np.isnan(panel.values), 0, 255)
        self._image.setImage(image, autoLevels=False, levels=None)
        self._image.setRect(0, 0, 1, 1)
        self._dots.setData(x=panel.dots[:, 0], y=panel.dots[:, 1])
        following = [] if panel.following is None else [panel.following]
        self._next.setData(x=[x for x, _ in following], y=[y for _, y in following])
        axes, look = self.axes, theme.current()
        axes.showGrid(x=False, y=False)
        axes.setTitle(
            panel.name if len(picture.panels) > 1 else None,
            color=look.text,
            size=f"{theme.pixels(theme.SMALL)}px",
            bold=True,
        )
        ticks = list(picture.ticks(picture.x))
        room = max(2, int(axes.getViewBox().width()) // _ROOM)
        step = -(-len(ticks) // room)
        axes.getAxis("bottom").setTicks([ticks[::step]])
        ticks_up = list(picture.ticks(picture.y))
        step = canvas.label_step(axes, len(ticks_up))
        axes.getAxis("left").setTicks([ticks_up[::step]])
        for side, shown in (("left", left), ("bottom", bottom)):
            axes.getAxis(side).setStyle(showValues=shown)
            name = picture.y if side == "left" else picture.x
            canvas.label(axes, side, picture.axis_title(name) if shown else "")
            axes.getAxis(side).showLabel(shown)
        wide = axis_width([text for _, text in ticks_up]) if left else 2 * theme.GRID
        axes.getAxis("left").setWidth(wide)
        axes.setRange(xRange=(-_EDGE, 1 + _EDGE), yRange=(-_EDGE, 1 + _EDGE), padding=0)

    def at(self, where: QPointF) -> tuple[tuple[float, float], tuple[float, float]] | None:
        """Return unit coordinates and the reach of the pointer there; ``None`` outside."""
        box = self.axes.getViewBox()
        if not box.sceneBoundingRect().contains(where):
            return None
        point, reach = box.mapSceneToView(where), box.viewPixelSize()
        return (point.x(), point.y()), (6 * reach[0], 6 * reach[1])


def axis_width(texts: Sequence[str]) -> int:
    """Return the pixels that an axis with these tick labels and a title needs."""
    measured = QFontMetrics(theme.font(theme.SMALL - 1))
    longest = max((measured.horizontalAdvance(text) for text in texts), default=0)
    return min(max(longest, 3 * theme.GRID), 18 * theme.GRID) + 4 * theme.GRID
