"""A diagram that is redrawn for the width that it has."""

from collections.abc import Callable

from PySide6.QtCore import QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from studio.figures.shapes import Diagram
from studio.gui.base import theme
from studio.gui.widgets.diagram_view import paint

_USUAL = 480.0


class Drawn(QWidget):
    """Draws what a function makes for a width in pixels; as tall as that is.

    Args:
        translated: Whether its texts are in the language of the window already.
    """

    def __init__(self, *, translated: bool = False) -> None:
        super().__init__()
        self._translated = translated
        self._make: Callable[[float], Diagram] | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.notifier().changed.connect(self.update)

    def show_diagram(self, make: Callable[[float], Diagram] | None, words: str) -> None:
        """Draw this from now on; ``words`` is what a screen reader says of it."""
        self._make = make
        self.setAccessibleName(words)
        if make is None or self.parentWidget() is not None:  # alone it would be a window
            self.setVisible(make is not None)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        """Ask for the diagram's height, which does not depend on its width."""
        if self._make is None:
            return QSize(0, 0)
        return QSize(theme.pixels(_USUAL), theme.pixels(self._make(_USUAL).height))

    def minimumSizeHint(self) -> QSize:
        """Keep the height."""
        return QSize(200, self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw it as wide as there is room."""
        del event
        if self._make is None:
            return
        painter = QPainter(self)
        painter.scale(theme.scale(), theme.scale())
        diagram = self._make(self.width() / theme.scale())
        paint(painter, diagram, theme.current(), translated=self._translated)
        painter.end()
