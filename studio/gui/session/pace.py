"""Speed of a run: finished trials per minute, as observed."""

from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

from studio.awake import awake_seconds

if TYPE_CHECKING:
    from studio.gui.session.run_view import RunView


_WINDOW_SECONDS = 90.0


class Pace:
    """Measures the speed of runs by a clock in seconds."""

    def __init__(self, now: Callable[[], float] = awake_seconds) -> None:
        self._now = now
        self._seen: dict[int, deque[tuple[float, int]]] = {}

    def of(self, view: "RunView") -> float | None:
        """Return the run's trials per second over the last 90 seconds; None if unknown."""
        now, done = self._now(), len(view.trials)
        seen = self._seen.setdefault(view.row.id, deque())
        if view.state != "running":
            seen.clear()
            return None
        if not seen or seen[-1][1] != done:
            seen.append((now, done))
        while len(seen) > 2 and now - seen[0][0] > _WINDOW_SECONDS:
            seen.popleft()
        (begun, first), (_, last) = seen[0], seen[-1]
        if last - first < 2 or now - begun < 1.0:
            return None
        return (last - first) / (now - begun)
