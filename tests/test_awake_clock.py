"""Suspension counts as at most one second of time limits; busy time always counts."""

import pytest

from studio.awake_clock import GAP_SECONDS, TICK_SECONDS, AwakeClock, read_awake_seconds


class SimulatedProcess:
    """A process with a clock set by the test."""

    def __init__(self) -> None:
        self.now, self.computed = 1000.0, 3.0
        self.awake = AwakeClock(lambda: self.now, lambda: self.computed)
        self.begun = self.awake()

    @property
    def passed(self) -> float:
        return self.awake() - self.begun

    def live(self, seconds: float) -> None:
        """Advance the clock with regular readings."""
        for _ in range(round(seconds / TICK_SECONDS)):
            self.now += TICK_SECONDS
            self.awake.tick()


def test_awake_clock_advances_normally_while_polled() -> None:
    clock = SimulatedProcess()
    clock.live(60.0)
    assert clock.passed == pytest.approx(60.0)


@pytest.mark.parametrize("read_first", [False, True])
def test_suspension_counts_as_one_second(read_first: bool) -> None:
    clock = SimulatedProcess()
    clock.live(5.0)
    clock.now += 8 * 3600
    if not read_first:
        clock.awake.tick()
    assert clock.passed == pytest.approx(5.0 + GAP_SECONDS)
    clock.live(5.0)
    assert clock.passed == pytest.approx(10.0 + GAP_SECONDS, abs=TICK_SECONDS + 1e-6)


def test_awake_clock_excludes_suspensions() -> None:
    clock = SimulatedProcess()
    for _ in range(3):
        clock.live(2.0)
        clock.now += 100.0
    assert clock.passed == pytest.approx(6.0 + 3 * GAP_SECONDS, abs=3 * TICK_SECONDS + 1e-6)


def test_awake_clock_counts_busy_time() -> None:
    clock = SimulatedProcess()
    clock.now += 50.0
    clock.computed += 49.5
    assert clock.passed == pytest.approx(50.0)
    clock.awake.tick()
    assert clock.passed == pytest.approx(50.0)


def test_awake_clock_is_monotonic() -> None:
    clock, readings = SimulatedProcess(), []
    for _ in range(40):
        clock.now += 0.1
        readings.append(clock.passed)
    clock.awake.tick()
    readings.append(clock.passed)
    assert readings == sorted(readings)


def test_process_has_awake_clock() -> None:
    assert read_awake_seconds() <= read_awake_seconds()
