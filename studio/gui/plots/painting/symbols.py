"""Symbols at places: pyqtgraph's scatter plot, quicker where there are several in one drawing."""

from typing import Any

import pyqtgraph
from PySide6.QtCore import QRectF


class PaintedDots(pyqtgraph.ScatterPlotItem):  # type: ignore[misc]
    """Symbols at places.

    Qt asks every item for its bounds several times a paint. pyqtgraph works them out each time,
    which takes longer than painting some hundred symbols; here they are kept until the symbols or
    the view change.
    """

    def __init__(self, **options: Any) -> None:
        self._bounds: QRectF | None = None
        super().__init__(**options)

    def boundingRect(self) -> QRectF:
        """Return what the symbols cover, in the view's coordinates."""
        if self._bounds is None:
            self._bounds = super().boundingRect()
        return self._bounds

    def addPoints(self, *places: Any, **options: Any) -> None:
        """Add symbols."""
        super().addPoints(*places, **options)
        self._bounds = None

    def clear(self) -> None:
        """Take all symbols away."""
        super().clear()
        self._bounds = None

    def updateSpots(self, dataSet: Any = None) -> None:
        """Give symbols another look, and size."""
        super().updateSpots(dataSet)
        self._bounds = None

    def viewTransformChanged(self) -> None:
        """Cover as many pixels in another view, which are others of its units."""
        super().viewTransformChanged()
        self._bounds = None

    def paint(self, *given: Any) -> None:
        """Paint the symbols; with none of them pyqtgraph would take as long as for some."""
        if len(self.data):
            super().paint(*given)
