"""Bases of what is painted: what shows the marks of one kind, and items in the screen's pixels."""

from collections.abc import Sequence
from typing import Any, Generic, TypeVar

from PySide6.QtGui import QPainter, QTransform
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from studio.figures.marks import Mark

M = TypeVar("M", bound=Mark)


class PaintedMarks(Generic[M]):
    """What shows marks of one kind, one at a time: items that are made once and changed in place.

    Args:
        axes: Where they are drawn.
    """

    def __init__(self, axes: Any) -> None:
        self._depth: float | None = None
        self.items: Sequence[Any] = self.made(axes)
        for item in self.items:
            axes.addItem(item, ignoreBounds=True)

    def made(self, axes: Any) -> Sequence[Any]:
        """Return new items."""
        raise NotImplementedError

    def show(self, mark: M) -> None:
        """Bring the items up to date with a mark."""
        raise NotImplementedError

    def at(self, depth: float) -> None:
        """Take a depth among the others."""
        if depth == self._depth:
            return
        self._depth = depth
        for place, item in enumerate(self.items):
            item.setZValue(depth + 0.1 * place)

    def set_visible(self, visible: bool) -> None:
        """Show the items, or keep them for later."""
        for item in self.items:
            item.setVisible(visible)


class ScreenItem(QGraphicsItem):
    """An item placed in a plot's units; lines and letters keep their size whatever the range."""

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem,
        widget: QWidget | None = None,
    ) -> None:
        """Hand over a painter of pixels, with the way from the plot's units to them."""
        del option, widget
        to_screen = painter.worldTransform()
        painter.save()
        painter.setWorldTransform(QTransform())
        self.paint_pixels(painter, to_screen)
        painter.restore()

    def paint_pixels(self, painter: QPainter, to_screen: QTransform) -> None:
        """Paint with a painter of pixels, which may be left in any state."""
        raise NotImplementedError
