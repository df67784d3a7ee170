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


def test_random_events_are_harmless() -> None:
    command = [sys.executable, str(MONKEY), "--events", "500", "--seed", "7", "--untimed"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "500 events" in done.stdout


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


def test_processes_are_left_over_that_could_have_ended(
    watch: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as child:
        ours = psutil.Process(child.pid)
        monkeypatch.setattr(psutil.Process, "children", lambda *_, **__: [ours])
        assert watch.wait_for_children(lambda: None, 60.0) == [ours]
        # In every hour it waited for a processor that long, so that it could do nothing.
        waited = itertools.count(step=3600)
        monkeypatch.setattr(watch, "_get_wait_seconds", lambda _: float(next(waited)))
        asked = itertools.count(1)

        def ask() -> None:
            if next(asked) == 3:
                assert child.stdin is not None
                child.stdin.close()

        assert watch.wait_for_children(ask, 60.0) == []
        assert next(asked) > 3
