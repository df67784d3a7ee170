"""Giving plots of two panels room where they are low."""

from typing import Any

from studio.gui.base import theme
from studio.gui.plots.painting.canvas import roomy_height


def fit_names(canvas: Any, above: Any, below: Any) -> None:
    """Show the axes' names where there is height enough; else the curves get their room.

    Parameters
    ----------
    canvas : GraphicsLayoutWidget
        Whose height counts.
    above, below : PlotItem
        Its two panels.
    """
    roomy = canvas.height() >= roomy_height()
    bottom = below.getAxis("bottom")
    for axis in (above.getAxis("left"), below.getAxis("left"), bottom):
        if axis.label.isVisible() != roomy:
            axis.showLabel(roomy)
            if axis is bottom:
                axis.setHeight(None if roomy else theme.pixels(1.5 * theme.SMALL) + 2)


def keep_names_fitting(canvas: Any, above: Any, below: Any) -> None:
    """Do so whenever the size changes."""
    above.getViewBox().sigResized.connect(lambda _: fit_names(canvas, above, below))
