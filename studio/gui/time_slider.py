"""The time slider: every plot follows it back to any iteration of the chosen run."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QHBoxLayout, QSlider, QStyle, QWidget

from studio.gui import kit
from studio.gui.theme import GRID

_HANDLE = 14


class TimeSlider(QWidget):
    """Chooses an iteration, or "live": the newest, whatever comes.

    Pulling the handle to the right end, or the Live button, follows the run again.
    """

    iteration_chosen = Signal(object)
    """The number of an iteration, ``None`` for live."""

    fork_wanted = Signal()
    """Somebody wants to go on from the shown iteration with another method."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.slider = _Slider(Qt.Orientation.Horizontal)
        self.slider.setAccessibleName("Iteration")
        self.slider.setToolTip("Look back at any iteration (arrow keys; End follows the run)")
        self.slider.setMinimum(1)
        self.slider.valueChanged.connect(self._moved)
        self.text = kit.label("", "muted")
        self.text.setMinimumWidth(190)
        self.live_button = kit.button(
            "Live",
            lambda: self.iteration_chosen.emit(None),
            kind="quiet",
            tip="Follow the run: always show the newest iteration",
        )
        self.fork_button = kit.button(
            "Go on from here…",
            self.fork_wanted.emit,
            kind="quiet",
            tip="Start a new run with the models up to this iteration and another method (fork)",
        )
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(2 * GRID)
        row.addWidget(self.slider, 1)
        row.addWidget(self.text)
        row.addWidget(self.live_button)
        row.addWidget(self.fork_button)
        self._showing = False
        self.show_time(0, None)

    def show_time(self, last: int, chosen: int | None) -> None:
        """Show a run with ``last`` iterations, looked at at ``chosen`` (``None``: live)."""
        self._showing = True
        self.slider.setEnabled(last > 1)
        self.slider.setMaximum(max(1, last))
        self.slider.setValue(last if chosen is None else chosen)
        self._showing = False
        if last == 0:
            words = "no iteration yet"
        elif chosen is None:
            words = f"iteration {last} · live"
        else:
            words = f"iteration {chosen} of {last}"
        self.text.setText(words)
        self.live_button.setEnabled(chosen is not None)
        self.fork_button.setEnabled(last > 0)

    def _moved(self, value: int) -> None:
        if not self._showing:
            self.iteration_chosen.emit(None if value == self.slider.maximum() else value)


class _Slider(QSlider):
    """A slider on which a click jumps to the place clicked at, as people expect of time.

    Qt's own handling of the mouse would turn a click beside the handle into a page step.
    """

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take the handle to the pointer."""
        if event.button() is Qt.MouseButton.LeftButton:
            self.setSliderDown(True)
            self._follow(event)
        else:
            event.ignore()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Drag the handle."""
        if self.isSliderDown():
            self._follow(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Let the handle go."""
        if event.button() is Qt.MouseButton.LeftButton:
            self.setSliderDown(False)

    def _follow(self, event: QMouseEvent) -> None:
        x, span = round(event.position().x()) - _HANDLE // 2, self.width() - _HANDLE
        self.setValue(QStyle.sliderValueFromPosition(self.minimum(), self.maximum(), x, span))
