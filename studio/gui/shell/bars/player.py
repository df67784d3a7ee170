"""Running through a run's iterations, as a film of how it went."""

from PySide6.QtCore import QObject, QSettings, QTimer, Signal

SPEEDS = (1, 2, 5, 10, 20, 50)
"""Iterations a second."""

FIRST_SPEED = 5

_KEY = "live/speed"


class Player(QObject):
    """Steps from iteration to iteration until it meets the newest.

    Signals
    -------
    moved : int or None
        Look at this iteration; ``None`` at the end: live.
    playing_changed : bool
        It began or stopped.
    """

    moved = Signal(object)
    playing_changed = Signal(bool)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._last = 0
        self._at: int | None = None
        self._timer = QTimer(self)
        self._timer.timeout.connect(self.step)
        kept = str(QSettings().value(_KEY, FIRST_SPEED))
        self._speed = next((each for each in SPEEDS if str(each) == kept), FIRST_SPEED)

    @property
    def playing(self) -> bool:
        """Whether it runs."""
        return self._timer.isActive()

    @property
    def speed(self) -> int:
        """Iterations a second, one of :data:`SPEEDS`."""
        return self._speed

    def set_speed(self, speed: int) -> None:
        """Run faster or slower, now and the next time."""
        self._speed = speed
        QSettings().setValue(_KEY, speed)
        if self.playing:
            self._timer.start(round(1000 / speed))

    def show_time(self, last: int, chosen: int | None) -> None:
        """Take note of where the window is; somebody else's choice stops the film."""
        self._last = last
        if self.playing and chosen != self._at:
            self.stop()
        self._at = chosen

    def toggle(self) -> None:
        """Run, from the first iteration where the window is at the newest; or stop."""
        if self.playing:
            self.stop()
        elif self._last > 1:
            self._timer.start(round(1000 / self._speed))
            self.playing_changed.emit(True)
            if self._at is None or self._at >= self._last:
                self._go(1)

    def stop(self) -> None:
        """Stay where the window is."""
        if self.playing:
            self._timer.stop()
            self.playing_changed.emit(False)

    def step(self) -> None:
        """Move to the next iteration; the newest ends the film."""
        following = (self._at or 0) + 1
        if following >= self._last:
            self.stop()
            self._go(None)
        else:
            self._go(following)

    def _go(self, place: int | None) -> None:
        self._at = place
        self.moved.emit(place)
