"""Items that are placed in a plot's units and painted in the screen's pixels."""

from PySide6.QtGui import QPainter, QTransform
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget


class ScreenItem(QGraphicsItem):
    """Base of items whose lines and letters keep their size whatever the range."""

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
