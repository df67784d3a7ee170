"""A short monkey test of the window; the long one is a command."""

import importlib.util
import itertools
import subprocess
import sys
import time
from pathlib import Path
from types import ModuleType

import psutil
import pytest

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc"),
]
HERE = Path(__file__).parent
MONKEY = Path(__file__).with_name("monkey.py")


def test_random_events_cause_no_errors() -> None:
    command = [sys.executable, str(MONKEY), "--events", "500", "--seed", "7", "--untimed"]
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stdout + process.stderr
    assert "500 events" in process.stdout


@pytest.fixture
def watch(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Return a watcher with a fast clock."""
    spec = importlib.util.spec_from_file_location("monkey_watch", HERE / "monkey_watch.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    hours = itertools.count(step=3600)
    monkeypatch.setattr(time, "monotonic", lambda: float(next(hours)))
    return module


def test_remaining_child_processes_are_reported(
    watch: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as child:
        ours = psutil.Process(child.pid)
        monkeypatch.setattr(psutil.Process, "children", lambda *_, **__: [ours])
        assert watch.wait_for_children(lambda: None, 60.0) == [ours]
        # It waited for a processor all the time, so it could do nothing.
        waited = itertools.count(step=3600)
        monkeypatch.setattr(watch, "_get_wait_seconds", lambda _: float(next(waited)))
        call_counter = itertools.count(1)

        def ask() -> None:
            if next(call_counter) == 3:
                assert child.stdin is not None
                child.stdin.close()

        assert watch.wait_for_children(ask, 60.0) == []
        assert next(call_counter) > 3
