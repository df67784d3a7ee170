"""Journeys wait for states of the program, without timeouts."""

import importlib.util
import itertools
import re
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

HERE = Path(__file__).parent


def test_stage_waits_for_window_state(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    spec = importlib.util.spec_from_file_location("window_driver", HERE / "window_driver.py")
    assert spec is not None and spec.loader is not None
    driver = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(driver)
    hours = itertools.count(step=3600)
    monkeypatch.setattr(time, "monotonic", lambda: float(next(hours)))
    monkeypatch.setattr(time, "sleep", lambda _: None)
    states = iter([False] * 50 + [True])
    shots: list[str] = []
    window = SimpleNamespace(do=lambda job: job(), shot=shots.append, folder=tmp_path)
    driver.WindowDriver.until(window, lambda: next(states), "the run's end")
    assert next(states, None) is None, "the state was detected"
    assert shots == ["waiting"]
    assert (tmp_path / "waiting.txt").read_text() == "the run's end"


def test_journeys_have_no_timeouts() -> None:
    clock = re.compile(r"\b(timeout|monotonic|perf_counter|time\.time|sleep)\b")
    journeys = list(HERE.glob("journey_*.py"))
    assert journeys
    assert not [path.name for path in journeys if clock.search(path.read_text("utf-8"))]
