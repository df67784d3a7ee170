"""Scheduling of redraws."""

import pytest
from pytestqt.qtbot import QtBot

from studio.gui.pages.live.page import MIN_REDRAW_INTERVAL_MS, RedrawScheduler
from tests.manual_clock import ManualClock


def test_scheduler_draws_longest_waiting_plot_first(qtbot: QtBot) -> None:
    clock, drawn_keys = ManualClock(100.0), list[str]()
    scheduler = RedrawScheduler(drawn_keys.append, clock=clock)
    scheduler.schedule(["a", "b", "c"])
    for expected in (["a"], ["a", "b"], ["a", "b", "c"]):
        scheduler.redraw_next()
        clock.now += 0.02
        assert drawn_keys == expected
    clock.now += 1
    scheduler.schedule(["c", "a"])
    scheduler.redraw_next()
    assert drawn_keys[-1] == "a"


def test_scheduler_limits_redraw_rate(qtbot: QtBot) -> None:
    clock, drawn_keys = ManualClock(100.0), list[str]()
    scheduler = RedrawScheduler(drawn_keys.append, clock=clock)
    for _ in range(100):
        scheduler.schedule(["a"])
        scheduler.redraw_next()
        clock.now += 0.01
    assert len(drawn_keys) == 1000 / 1000 / (MIN_REDRAW_INTERVAL_MS / 1000)


def test_scheduler_draws_in_event_loop(qtbot: QtBot) -> None:
    drawn_keys: list[str] = []
    scheduler = RedrawScheduler(drawn_keys.append)
    scheduler.schedule(["a", "b"])
    qtbot.waitUntil(lambda: drawn_keys == ["a", "b"])
    scheduler.schedule(["a"])
    scheduler.stop()
    assert scheduler.stale_keys == ()


def test_failing_plot_does_not_block_others(qtbot: QtBot) -> None:
    drawn_keys: list[str] = []

    def draw(key: str) -> None:
        if key == "a":
            raise ValueError("a fault in a plot")
        drawn_keys.append(key)

    scheduler = RedrawScheduler(draw)
    scheduler.schedule(["a", "b"])
    with pytest.raises(ValueError, match="a fault"):
        scheduler.redraw_next()
    qtbot.waitUntil(lambda: drawn_keys == ["b"])


def test_scheduler_can_draw_all_plots_immediately(qtbot: QtBot) -> None:
    clock, drawn_keys = ManualClock(100.0), list[str]()
    scheduler = RedrawScheduler(drawn_keys.append, clock=clock)
    for _ in range(2):
        scheduler.schedule(["a", "b"])
        assert scheduler.draw_all() == 2
    assert (drawn_keys, scheduler.stale_keys, scheduler.draw_all()) == (["a", "b"] * 2, (), 0)
