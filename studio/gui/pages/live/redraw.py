"""When plots are drawn: changes are collected, one plot a turn of the event loop."""

from collections.abc import Callable, Iterable
from time import monotonic

from PySide6.QtCore import QObject, QTimer

REST_MILLISECONDS = 50
"""A plot is drawn at most twenty times a second."""

_PAUSE_MILLISECONDS = 40


class Redrawer(QObject):
    """Draws what is stale, the one that has waited longest first.

    Between two plots the event loop has some frames for itself, and at least as long as the last
    plot took, so that the window answers however much there is to draw: painting, which follows a
    draw, takes longer than the draw (about 10 ms a plot), and two paints in a row are felt.

    Args:
        draw: Called with the key of the plot that is due.
        clock: Seconds (tests give their own).
    """

    def __init__(
        self,
        draw: Callable[[str], None],
        parent: QObject | None = None,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        super().__init__(parent)
        self._draw = draw
        self._clock = clock
        self._stale: dict[str, None] = {}
        self._drawn: dict[str, float] = {}
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self.turn)

    def want(self, keys: Iterable[str]) -> None:
        """Have these plots drawn soon, with whatever changes until their turn."""
        self._stale.update(dict.fromkeys(keys))
        if self._stale and not self._timer.isActive():
            self._timer.start(self._wait())

    def stop(self) -> None:
        """Draw nothing more until something is wanted again."""
        self._stale.clear()
        self._timer.stop()

    def draw_all(self) -> int:
        """Draw all that is stale now, without pauses; return how many plots that were."""
        self._timer.stop()
        hurried = tuple(self._stale)
        self._stale.clear()
        for key in hurried:
            self._drawn[key] = self._clock()
            self._draw(key)
        return len(hurried)

    @property
    def stale(self) -> tuple[str, ...]:
        """The plots that wait for their turn."""
        return tuple(self._stale)

    def turn(self) -> None:
        """Draw one plot that is due, if any, and see to the next turn."""
        begun = self._clock()
        due = [key for key in self._stale if self._rest(key, begun) <= 0]
        try:
            if due:
                key = min(due, key=lambda each: self._drawn.get(each, 0.0))
                del self._stale[key]
                self._drawn[key] = begun
                self._draw(key)
        finally:
            if self._stale:
                spent = round(1000 * (self._clock() - begun))
                self._timer.start(max(_PAUSE_MILLISECONDS, spent, self._wait()))

    def _rest(self, key: str, now: float) -> int:
        """Return the milliseconds until a plot may be drawn again; not positive: it may be."""
        last = self._drawn.get(key)
        return 0 if last is None else round(REST_MILLISECONDS - 1000 * (now - last))

    def _wait(self) -> int:
        now = self._clock()
        return max(0, min(self._rest(key, now) for key in self._stale))
