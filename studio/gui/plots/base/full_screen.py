"""A plot alone on the whole screen, and back at its place."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QCloseEvent, QKeyEvent
from PySide6.QtWidgets import QFrame, QLayout, QWidget

from studio.gui.base.look import look
from studio.gui.base.theme import GRID, SMALL
from studio.gui.widgets import kit

_LINES = 40
"""Lines of the smallest type that a screen is high: it is read from the last row, too."""


class FullScreen(QFrame):
    """Fills the screen with a plot, which continues to follow its run; Esc puts it back.

    Type and strokes grow with the screen. The window behind keeps its size.

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
        self._plot, self._place, self._behind = plot, QWidget(), plot.window()
        home = plot.parentWidget()
        layout = None if home is None else home.layout()
        assert layout is not None, "a plot that is shown is in a layout"
        self._layout = layout
        self._layout.replaceWidget(plot, self._place)
        kit.column(plot, on=self, margin=2 * GRID)
        self._constrain(QLayout.SizeConstraint.SetNoConstraint)
        look().enlarge(self.screen().size().height() / (_LINES * SMALL))
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
        look().enlarge(1.0)
        self._constrain(QLayout.SizeConstraint.SetDefaultConstraint)
        self.left.emit()
        super().closeEvent(event)

    def _constrain(self, how: QLayout.SizeConstraint) -> None:
        """Say whether what is in the window behind decides how large that is at least."""
        layout = self._behind.layout()
        if layout is not None:
            layout.setSizeConstraint(how)
