"""A clock that stops while this process is suspended by Ctrl+Z, SIGSTOP or a laptop's sleep.

No operating system reports how long a process was suspended, and not all clocks count that time.
Therefore a separate thread reads the clock several times a second: if two readings are far apart
without CPU time in between, the process was suspended. All time limits use this clock, so that
suspensions do not count against a trial, a run or a process.
"""

import threading
import time
from collections.abc import Callable
from functools import cache
from typing import NoReturn

from studio.system.threads import start_thread

TICK_SECONDS = 0.1
"""Maximum interval between readings."""

GAP_SECONDS = 1.0
"""Maximum seconds counted of a gap between readings, which may be late on a busy machine."""


class AwakeClock:
    """Seconds on the scale of ``time.perf_counter()``, without suspensions.

    CPU time counts even if the clock could not be read, for example while a library holds Python's
    lock.
    """

    def __init__(
        self,
        read_clock: Callable[[], float] = time.perf_counter,
        computed: Callable[[], float] = time.process_time,
    ) -> None:
        self._clock, self._read_cpu_time = read_clock, computed
        # Replaced atomically by one thread, so that others read it without a lock.
        self._last_reading = (read_clock(), computed(), 0.0)

    def __call__(self) -> float:
        clock_now, _, total_suspension = self._read_clocks()
        return clock_now - total_suspension

    def tick(self) -> None:
        """Store a reading; called from one thread only, at least every :data:`TICK_SECONDS`."""
        self._last_reading = self._read_clocks()

    def _read_clocks(self) -> tuple[float, float, float]:
        """Return both clocks, and the total suspension so far."""
        wall_before, last_computed, total_suspension = self._last_reading
        wall_time, computed = self._clock(), self._read_cpu_time()
        suspension = wall_time - wall_before - (computed - last_computed)
        return wall_time, computed, total_suspension + max(0.0, suspension - GAP_SECONDS)


@cache
def _get_clock() -> AwakeClock:
    clock = AwakeClock()

    def tick() -> NoReturn:
        while True:
            time.sleep(TICK_SECONDS)
            clock.tick()

    start_thread(threading.Thread(target=tick, name="awake clock", daemon=True))
    return clock


def read_awake_seconds() -> float:
    """Return this process's clock; start its thread, or raise OSError if memory is insufficient."""
    return _get_clock()()
