"""The dock of one plot, with the grip that moves it, and arrangements of docks."""

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QByteArray, QPoint, QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QCloseEvent,
    QGuiApplication,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QDockWidget, QFrame, QMainWindow, QWidget

from studio.gui.base import theme
from studio.gui.base.theme import GRID
from studio.gui.plots.base.header import HEADER_HEIGHT
from studio.gui.plots.base.plot import HelperPlot, Plot
from studio.gui.widgets import kit
from studio.language import tr

MIN_SIZE = (220, 180)
"""Minimum width and height of a plot's card in pixels."""

_ENLARGEMENT, _MIN_WINDOW_SHARE = 1.3, 0.6
"""Size of a plot's separate window, as a multiple of that in the page, and minimum size as a share
of the screen."""

_WINDOW_MARGIN, _WINDOW_OFFSET = 40, 48
"""Pixels for a separate window's frame, and its offset from the plot's place in the page."""

_DRAG_POLL_MILLISECONDS = 100
"""Interval of the check whether a drag out of the page has ended."""


class Grip(QWidget):
    """A handle of dots above a plot; a double click enlarges the plot, or restores it."""

    double_clicked = Signal()

    def __init__(self, title: str) -> None:
        super().__init__()
        self._is_short = self._is_floating = False
        self.setAccessibleName(tr("Move the plot {title}", title=title))
        self.setToolTip(
            tr(
                "Drag to rearrange: beside or above another plot, onto it as a tab, or out of the "
                "window. Double-click to maximise or restore this plot"
            )
        )
        self.setCursor(Qt.CursorShape.SizeAllCursor)

    def set_short(self, is_short: bool) -> None:
        """Hide the grip on a short page, which shows a single plot."""
        if is_short != self._is_short:
            self._is_short = is_short
            self.updateGeometry()

    def set_floating(self, is_floating: bool) -> None:
        """Hide the grip in a separate window, which has a title bar."""
        self._is_floating = is_floating
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        return QSize(40, 0 if self._is_short or self._is_floating else theme.GRID + 4)

    def minimumSizeHint(self) -> QSize:
        """Return the hinted size, so that the bar never disappears."""
        return self.sizeHint()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Emit the double click before the dock handles it by floating."""
        event.accept()
        self.double_clicked.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw a short row of dots in the middle."""
        del event
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour(theme.current().border))
        middle = self.rect().center()
        for step in range(-2, 3):
            painter.drawEllipse(middle.x() + 6 * step - 1, middle.y(), 3, 3)
        painter.end()


_PLOT_MARGIN = (GRID, GRID // 2, GRID, GRID // 2)
"""Margins of a plot within its card."""


class _Card(QFrame):
    """A plot's frame, with a size hint independent of its content, so that rows stay even.

    Args:
        title, summary: Those of the plot, shown until it is created.
    """

    def __init__(self, title: str, summary: str) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self.setMinimumSize(*MIN_SIZE)
        self._placeholder = QWidget()
        content_label = kit.label(
            f"{tr(HelperPlot.waiting_message)}\n{summary}", "muted", wrap=True
        )
        content_label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        title_label = kit.ElidedLabel(title, "section")
        title_label.setMinimumHeight(theme.pixels(HEADER_HEIGHT))
        kit.column(title_label, (content_label, 1), parent=self._placeholder, margin=_PLOT_MARGIN)
        self._layout = kit.column(self._placeholder, parent=self)

    def sizeHint(self) -> QSize:
        return self.minimumSize()

    def set_plot(self, plot: Plot) -> None:
        self._placeholder.hide()
        self._layout.addWidget(plot)
        # The layout would show it later, so that the card would be empty in its next frame.
        plot.show()
        self._layout.activate()


class Dock(QDockWidget):
    """The dock of one plot, created when first shown; ``summary`` describes its content."""

    resized = Signal()
    closed_as_window = Signal()
    """Its separate window was closed by the user."""

    def __init__(self, key: str, title: str, summary: str, parent: QMainWindow) -> None:
        super().__init__(title, parent)
        self.key = key
        self.setObjectName(f"dock-{key}")
        self.setAccessibleName(title)
        self.grip = Grip(title)
        self.setTitleBarWidget(self.grip)
        self._card = _Card(title, summary)
        self.setWidget(self._card)
        self.plot: Plot | None = None
        self.topLevelChanged.connect(self._on_floating_change)

    def float_on_screen(self) -> None:
        """Move to a larger window, on another screen than the main window's if there is one."""
        here = self.screen()
        screen = next((each for each in QGuiApplication.screens() if each is not here), here)
        available = screen.availableGeometry()
        size = (self.size() * _ENLARGEMENT).expandedTo(available.size() * _MIN_WINDOW_SHARE)
        size = size.boundedTo(available.size() - QSize(2 * _WINDOW_MARGIN, 2 * _WINDOW_MARGIN))
        corner = available.center() - QRect(QPoint(), size).center()
        if screen is here:  # visibly not in its old place
            corner = self.mapToGlobal(QPoint(_WINDOW_OFFSET, _WINDOW_OFFSET))
        last = available.bottomRight() - QPoint(size.width(), size.height())
        corner = QPoint(min(corner.x(), last.x()), min(corner.y(), last.y()))
        self.setFloating(True)
        self.setGeometry(QRect(corner, size))

    def _on_floating_change(self, is_floating: bool) -> None:
        self.grip.set_floating(is_floating)
        if is_floating:
            self._become_window()

    def _become_window(self) -> None:
        """Have the usual title bar, which Qt omits as the grip replaces it; not during a drag."""
        if not self.isFloating():
            return
        if QGuiApplication.mouseButtons() != Qt.MouseButton.NoButton:
            QTimer.singleShot(_DRAG_POLL_MILLISECONDS, self, self._become_window)
            return
        was_visible, geometry = self.isVisible(), self.geometry()
        self.setWindowFlags(Qt.WindowType.Window)
        self.setGeometry(geometry)
        self.setVisible(was_visible)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Return to the page when the user closes the separate window."""
        if self.isFloating() and event.spontaneous():
            event.ignore()
            self.closed_as_window.emit()
        else:
            super().closeEvent(event)

    def set_plot(self, plot: Plot) -> None:
        """Set the plot."""
        self.plot = plot
        plot.set_margins(*_PLOT_MARGIN[:2])
        self._card.set_plot(plot)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Report a new size, for example after dragging the separator of two plots."""
        super().resizeEvent(event)
        self.resized.emit()

    @property
    def is_on_screen(self) -> bool:
        """Whether the dock is visible: open, and not behind another tab."""
        # Qt moves docks behind other tabs out of the window instead of hiding them.
        return self.isVisible() and (self.isFloating() or self.geometry().right() >= 0)


class Arrangement(NamedTuple):
    """Positions of all docks, to be restored.

    Args:
        shape: The number of plots that fitted horizontally and vertically, such as "3x2".
        is_manual: Whether the user moved docks.
        order: The plots in the order of their places.
        keys: The open plots, in the order of the registry.
        window_size: The size of the window in pixels.
    """

    state: QByteArray
    shape: str
    is_manual: bool
    order: tuple[str, ...]
    keys: tuple[str, ...]
    window_size: QSize


def sort_by_rows(docks: Sequence[Dock]) -> list[Dock]:
    """Return docks from left to right, row by row; those below tabs start slightly lower."""
    tops = [dock.y() for dock in docks]
    return sorted(
        docks, key=lambda dock: (min(top for top in tops if dock.y() - top < MIN_SIZE[1]), dock.x())
    )
