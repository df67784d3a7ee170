"""A view in which dragging reports where it goes, instead of moving what is drawn."""

from typing import Any

import pyqtgraph
from PySide6.QtCore import QPointF, Qt, Signal


class BrushBox(pyqtgraph.ViewBox):  # type: ignore[misc]
    """A view that reports drags instead of moving."""

    dragged = Signal(QPointF, QPointF)
    """Where the drag began and where it is, in the coordinates of the plot."""

    def mouseDragEvent(self, ev: Any, axis: int | None = None) -> None:
        """Report a drag with the left button."""
        del axis
        ev.accept()
        if ev.button() == Qt.MouseButton.LeftButton:
            begun = self.mapSceneToView(ev.buttonDownScenePos())
            self.dragged.emit(begun, self.mapSceneToView(ev.scenePos()))

    def wheelEvent(self, ev: Any, axis: int | None = None) -> None:
        """Leave the axes where they are."""
        del axis
        ev.ignore()
