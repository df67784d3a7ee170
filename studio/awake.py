"""A clock that stops while this process is suspended by Ctrl+Z, SIGSTOP or a laptop's sleep.

No system tells a process for how long it was suspended, and clocks differ in whether they count it.
So the clock is read several times a second by a separate thread: where two readings are far apart
and the process did not compute in between, it was suspended. Every limit of time that we set is
judged by this clock, so that a trial, a run or a process of ours never loses time which it
could use.
"""

import threading
import time
from collections.abc import Callable
from functools import cache
from typing import NoReturn

from studio.system.threads import start_thread

TICK_SECONDS = 0.1
"""Maximum interval of readings."""

GAP_SECONDS = 1.0
"""Maximum seconds of a suspension that are counted: on a busy machine readings may be late."""


class AwakeClock:
    """Seconds on the scale of ``time.perf_counter()``, without suspensions.

    Time that the process computed counts although the clock could not be read, as while a library
    holds Python's lock.
    """

    def __init__(
        self,
        now: Callable[[], float] = time.perf_counter,
        computed: Callable[[], float] = time.process_time,
    ) -> None:
        self._clock, self._computed = now, computed
        # Replaced atomically by one thread, so that others read it without a lock.
        self._last = (now(), computed(), 0.0)

    def __call__(self) -> float:
        """Return the reading, monotonically."""
        clock_now, _, suspended = self._read_clocks()
        return clock_now - suspended

    def tick(self) -> None:
        """Store a reading; from one thread only, at least every :data:`TICK_SECONDS`."""
        self._last = self._read_clocks()

    def _read_clocks(self) -> tuple[float, float, float]:
        """Return both clocks, and the total suspension so far."""
        wall_before, last_computed, suspended = self._last
        wall_now, computed = self._clock(), self._computed()
        suspension = wall_now - wall_before - (computed - last_computed)
        return wall_now, computed, suspended + max(0.0, suspension - GAP_SECONDS)


@cache
def _get_clock() -> AwakeClock:
    clock = AwakeClock()

    def tick() -> NoReturn:
        while True:
            time.sleep(TICK_SECONDS)
            clock.tick()

    start_thread(threading.Thread(target=tick, name="awake clock", daemon=True))
    return clock


def awake_seconds() -> float:
    """Return this process's clock, starting its thread; raise OSError without memory for it."""
    return _get_clock()()
