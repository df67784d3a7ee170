"""A plot alone on the whole screen, and back at its place."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QCloseEvent, QKeyEvent
from PySide6.QtWidgets import QFrame, QWidget

from studio.gui.base.theme import GRID
from studio.gui.widgets import kit


class FullScreen(QFrame):
    """Fills the screen with a plot, which continues to follow its run; Esc puts it back.

    Args:
        plot: A widget in a layout; its place is kept.
        title: Of the window, for the system's lists.
    """

    left = Signal()

    def __init__(self, plot: QWidget, title: str) -> None:
        super().__init__(plot.window(), Qt.WindowType.Window)
        self.setProperty("role", "bar")  # on the ground of plots
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(title)
        self._plot, self._place = plot, QWidget()
        home = plot.parentWidget()
        layout = None if home is None else home.layout()
        assert layout is not None, "a plot that is shown is in a layout"
        self._layout = layout
        self._layout.replaceWidget(plot, self._place)
        kit.column(plot, on=self, margin=2 * GRID)
        self.showFullScreen()
        plot.setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Leave at Esc."""
        if event.key() == Qt.Key.Key_Escape:
            self.close()
        else:
            super().keyPressEvent(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Put the plot back."""
        self._layout.replaceWidget(self._place, self._plot)
        self._place.deleteLater()
        self._plot.show()
        self.left.emit()
        super().closeEvent(event)
