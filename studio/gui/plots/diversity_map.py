"""The heat map of all pairs of members, as items on a plot's axes."""

from typing import Any

import numpy as np
import pyqtgraph
from PySide6.QtGui import QColor

from studio.gui.base.language import tr
from studio.gui.plots.colours import triple
from studio.gui.plots.diversity_model import DiversityPicture
from studio.gui.plots.matrix_numbers import MatrixNumbers
from studio.gui.plots.painting import canvas
from studio.gui.plots.painting.scale import scale_table


class DiversityMap:
    """The matrix, a strip of the members' branches at its left, and numbers where they fit.

    Parameters
    ----------
    axes : PlotItem
        Where it is drawn; shared with other views.
    """

    def __init__(self, axes: Any) -> None:
        self._axes = axes
        self._image = pyqtgraph.ImageItem(axisOrder="row-major")
        self._strip = pyqtgraph.ImageItem(axisOrder="row-major")
        self._numbers = MatrixNumbers()
        self._items = (self._image, self._strip, self._numbers)
        for depth, item in enumerate(self._items):
            item.setZValue(depth)
            axes.addItem(item, ignoreBounds=True)

    def hide(self) -> None:
        """Leave the axes to another view."""
        for item in self._items:
            item.setVisible(False)

    def draw(self, picture: DiversityPicture, colours: dict[str, QColor], *, percent: bool) -> None:
        """Draw the matrix and set the axes to it."""
        axes, size = self._axes, len(picture.members)
        for item in self._items:
            item.setVisible(True)
        shares = np.nan_to_num(picture.values / picture.highest)
        image = np.empty((size, size, 4), dtype=np.uint8)
        image[..., :3] = scale_table()[np.clip(shares * 255, 0, 255).astype(int)]
        image[..., 3] = np.where(np.isnan(picture.values), 0, 255)
        self._image.setImage(image, autoLevels=False, levels=None)
        self._image.setRect(0, 0, size, size)
        strip = np.zeros((size, 1, 4), dtype=np.uint8)
        strip[:, 0, :3] = [triple(colours[branch]) for branch in picture.branches]
        strip[..., 3] = 255
        self._strip.setImage(strip, autoLevels=False, levels=None)
        self._strip.setRect(-0.024 * size, 0, 0.016 * size, size)
        self._numbers.show_values(
            picture.values if picture.few else None, picture.highest, percent=percent
        )
        axes.showGrid(x=False, y=False)
        axes.getViewBox().invertY(True)
        step = canvas.label_step(axes, size)
        ticks = [(row + 0.5, str(int(picture.members[row]))) for row in range(0, size, step)]
        for side in ("left", "bottom"):
            axes.getAxis(side).setTicks([ticks])
        axes.setRange(xRange=(-0.03 * size, size), yRange=(0, size), padding=0)
        canvas.label(axes, "left", tr("trial number"))
        canvas.label(axes, "bottom", tr("member (trial number)"))
