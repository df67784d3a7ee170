"""A finished run in small, which comes about once while somebody looks at it."""

from PySide6.QtCore import QSize, QVariantAnimation
from PySide6.QtGui import QHideEvent, QShowEvent

from studio.gui.base import motion, theme
from studio.gui.widgets.diagram_view import Drawn
from studio.language import tr

_MILLISECONDS = 1500
"""How long it takes; at once where people want no motion."""

_HEIGHT = 124
"""Of the drawing, at a scale of 1."""


class Miniature(Drawn):
    """The course of the recorded run, once :meth:`draw` was called."""

    def __init__(self) -> None:
        super().__init__(translated=True)
        self._shown = 1.0
        self._motion = QVariantAnimation(self)
        self._motion.setDuration(_MILLISECONDS)
        self._motion.setStartValue(0.05)
        self._motion.setEndValue(1.0)
        self._motion.valueChanged.connect(self._go_on)

    def draw(self) -> None:
        """Draw it from now on: what computes it is not imported before the window is seen."""
        from studio.gui.pages.welcome.pictures import run_picture

        self.show_diagram(
            lambda width: run_picture(width, _HEIGHT, self._shown),
            tr("What you get: the errors of the best model and of the ensemble during a run"),
        )

    def sizeHint(self) -> QSize:
        """Keep the height from the first, also before it is drawn and with larger type."""
        return QSize(super().sizeHint().width(), theme.pixels(_HEIGHT))

    def showEvent(self, event: QShowEvent) -> None:
        """Begin."""
        super().showEvent(event)
        if motion.milliseconds(self):
            self._motion.start()

    def hideEvent(self, event: QHideEvent) -> None:
        """Rest where nobody looks."""
        super().hideEvent(event)
        self._motion.stop()
        self._shown = 1.0

    def _go_on(self, shown: float) -> None:
        self._shown = shown
        self.update()
