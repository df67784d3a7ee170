"""Start time and elapsed time of a run."""

from collections.abc import Callable

from studio.awake_clock import read_awake_seconds
from studio.system.processes import get_process_age


def get_process_start() -> float:
    """Return the start time of this process, as :func:`studio.awake_clock.read_awake_seconds`.

    The run's time counts from there, so that it includes loading the program.
    """
    return read_awake_seconds() - get_process_age()


class RunClock:
    """Measures a run's working time over all sessions, without pauses.

    Args:
        started_at: Start of this session, by ``read_clock``; ``None`` for the current time.
        read_clock: Returns the time in seconds.
    """

    def __init__(
        self, started_at: float | None = None, read_clock: Callable[[], float] = read_awake_seconds
    ) -> None:
        self.read_seconds = read_clock
        self._session_start = read_clock() if started_at is None else started_at
        self.earlier_seconds = 0.0

    def get_seconds_worked(self, paused_seconds: float = 0.0) -> float:
        """Return the seconds worked, given this session's total pause."""
        return self.earlier_seconds + self.read_seconds() - self._session_start - paused_seconds


class Slowdown:
    """Ratio of elapsed to CPU time on this shared machine."""

    def __init__(self) -> None:
        self._wall_seconds = self._cpu_seconds = 0.0

    def add(self, elapsed: float, computed: float) -> None:
        """Add the elapsed and CPU seconds of a piece of work."""
        self._wall_seconds += elapsed
        self._cpu_seconds += computed

    @property
    def factor(self) -> float:
        """Elapsed seconds per CPU second of all that work, at least 1."""
        return max(1.0, self._wall_seconds / self._cpu_seconds) if self._cpu_seconds > 0 else 1.0
