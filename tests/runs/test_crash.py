"""Kill anything at any moment: nothing reported is lost, and the run goes on as it would have.

Kills of the engine's process, of a worker (while a window's follower reads), and of a process that
follows the document as the window does: ``--kills 1000`` asks for more than the few of every day.
"""

import contextlib
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from studio.document.store import Document

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="kill -9 is a POSIX signal")

BUDGET = 40
Make = Callable[..., tuple[Path, int]]

FOLLOW = """
import sys, time
from studio.document.follow import Follower
follower = Follower(sys.argv[1])
while True:
    follower.changes()
    time.sleep(0.01)
"""


def start_engine(path: Path) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-m", "studio", "resume", str(path), "--quiet"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def start_window(path: Path) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-c", FOLLOW, str(path)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def recorded(path: Path, run_id: int) -> list[Any]:
    with Document.open(path, writable=False) as document:
        return [
            (dict(row.trial.configuration), row.trial.loss, row.iteration.members)
            for row in document.trial_rows(run_id)
        ]


def wait_for_trials(path: Path, run_id: int, at_least: int, engine: Any) -> int:
    """Wait until the run has so many trials (or its engine has ended); return how many."""
    while True:
        with Document.open(path, writable=False) as document:
            count = document.trial_count(run_id)
        if count >= at_least or engine.poll() is not None:
            return count
        time.sleep(0.02)  # only not to take the engine's core; nothing is timed


def kill_a_worker(engine: "subprocess.Popen[bytes]", rng: random.Random) -> bool:
    """Kill one of the engine's workers; say whether there was one to kill."""
    with contextlib.suppress(psutil.Error):
        children = psutil.Process(engine.pid).children(recursive=True)
        workers = [child for child in children if "studio.runs.worker" in " ".join(child.cmdline())]
        if workers:
            rng.choice(workers).kill()
            return True
    return False


def kill(process: "subprocess.Popen[bytes]") -> bool:
    """Kill a process; say whether it was still alive."""
    alive = process.poll() is None
    if alive:
        os.kill(process.pid, signal.SIGKILL)
    return alive


@pytest.mark.slow
def test_kills_lose_nothing_and_change_nothing(
    new_run: Make, finished_run: Make, request: pytest.FixtureRequest
) -> None:
    wanted = request.config.getoption("kills")
    settings = {"method": "EO-post", "budget": BUDGET, "seed": 11}
    whole = recorded(*finished_run(**settings))
    rng = random.Random(5)
    kills = {"engine": 0, "worker": 0, "window": 0}
    while sum(kills.values()) < wanted:
        path, run_id = new_run(**settings)
        reported, over = 0, False
        while not over:
            window, engine = start_window(path), start_engine(path)
            try:
                # Engine, worker and window take turns; the first ends the session.
                while engine.poll() is None and sum(kills.values()) < wanted:
                    victim = min(kills, key=lambda name: (kills[name], rng.random()))
                    reported = wait_for_trials(path, run_id, reported + rng.randint(0, 9), engine)
                    time.sleep(rng.random() * 0.05)
                    # Only what was alive was killed: the rest does not count.
                    if victim == "worker":
                        kills[victim] += kill_a_worker(engine, rng)
                    else:
                        kills[victim] += kill({"engine": engine, "window": window}[victim])
                        {"engine": engine, "window": window}[victim].wait()
                    if victim == "window":
                        window = start_window(path)
                engine.wait(60)
            finally:
                for process in (window, engine):
                    process.kill()
                    process.wait()
            so_far = recorded(path, run_id)
            assert len(so_far) >= reported
            assert so_far == whole[: len(so_far)]
            with Document.open(path, writable=False) as document:
                over = document.run(run_id).state == "finished"
        assert so_far == whole
    assert min(kills.values()) >= wanted // 4
