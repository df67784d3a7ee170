import os
import subprocess
import sys
import time

import psutil
import pytest

from studio.system.processes import MARK, kill_marked, kill_tree, list_descendants

pytestmark = pytest.mark.slow

MARGIN = 60.0
OWN = f"{os.getpid()}-"
"""Prefix of the marks, as other processes run the same tests at the same time."""

FAMILY = (
    "import subprocess, sys, time; "
    "subprocess.Popen([sys.executable, '-c', 'import time; print(flush=True); time.sleep(600)']); "
    "time.sleep(600)"
)


@pytest.fixture(params=["linux", "darwin", "win32"], autouse=True)
def system(request, monkeypatch):
    """Disable the system-specific implementations, leaving psutil."""
    if request.param != sys.platform and sys.platform != "linux":
        pytest.skip("only Linux can simulate it")
    monkeypatch.setattr(sys, "platform", request.param)


def start(mark):
    process = subprocess.Popen(
        [sys.executable, "-c", FAMILY],
        stdout=subprocess.PIPE,
        env={**os.environ, MARK: mark},
        process_group=0,
    )
    process.stdout.readline()
    return process


def test_process_is_killed_with_its_children():
    with start(OWN + "one-") as process:
        family = [psutil.Process(pid) for pid in list_descendants(process.pid)]
        assert len(family) == 1
        kill_tree(process, OWN + "one-")
        _, survivors = psutil.wait_procs(family, timeout=MARGIN)
    assert survivors == []


def test_descendants_of_dead_process_are_found_by_marker():
    with start(OWN + "two-1-") as process, start(OWN + "two-2-") as other:
        family = [psutil.Process(pid) for pid in list_descendants(process.pid)]
        process.kill()
        process.wait()
        kill_marked(OWN + "two-1-")
        _, survivors = psutil.wait_procs(family, timeout=MARGIN)
        assert survivors == []
        assert other.poll() is None
        kill_tree(other, OWN + "two-2-")


def test_killing_dead_process_is_not_an_error():
    with start(OWN + "three-") as process:
        kill_tree(process, OWN + "three-")
        until = time.monotonic() + MARGIN
        while process.poll() is None and time.monotonic() < until:
            time.sleep(0.01)
        kill_tree(process, OWN + "three-")
        assert process.wait() != 0
