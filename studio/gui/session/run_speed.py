"""Speed of a run: finished trials per minute, as observed.

Separate from the view of a run, as the window's first paint must not load documents.
"""

from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

from studio.awake_clock import read_awake_seconds

if TYPE_CHECKING:
    from studio.gui.session.run_view import RunView


_WINDOW_SECONDS = 90.0


class SpeedMeter:
    """Measures the speed of runs by a clock in seconds."""

    def __init__(self, read_clock: Callable[[], float] = read_awake_seconds) -> None:
        self._now = read_clock
        self._samples: dict[int, deque[tuple[float, int]]] = {}

    def estimate_speed(self, view: "RunView") -> float | None:
        """Return the run's trials per second over the last 90 seconds; None if unknown."""
        now, n_done = self._now(), len(view.trials)
        samples = self._samples.setdefault(view.row.id, deque())
        if view.state != "running":
            samples.clear()
            return None
        if samples and samples[-1][1] > n_done:  # another document, or a recording played again
            samples.clear()
        if not samples or samples[-1][1] != n_done:
            samples.append((now, n_done))
        while len(samples) > 2 and now - samples[0][0] > _WINDOW_SECONDS:
            samples.popleft()
        (first_time, first_count), (_, last_count) = samples[0], samples[-1]
        if last_count - first_count < 2 or now - first_time < 1.0:
            return None
        return (last_count - first_count) / (now - first_time)
