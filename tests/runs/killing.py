"""Kill processes of a run at random times; used by tests and packaging/torture."""

import contextlib
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import psutil

from studio.document.store import Document

MAX_ENGINE_SECONDS = 600
"""Seconds within which an engine finishes without kills, even on a busy machine."""

FOLLOW = """
import sys, time
from studio.document.follow import ChangeReader
follower = ChangeReader(sys.argv[1])
while True:
    follower.read_changes()
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
            for row in document.trials.list_rows(run_id)
        ]


def wait_for_trials(path: Path, run_id: int, at_least: int, engine: Any) -> int:
    """Wait for a number of trials (or the engine's end); return the actual number."""
    with Document.open(path, writable=False) as document:
        while (count := document.trials.count(run_id)) < at_least and engine.poll() is None:
            time.sleep(0.02)  # only to leave the core to the engine; nothing is timed
        return count


def kill_a_worker(engine: "subprocess.Popen[bytes]", rng: random.Random) -> bool:
    """Kill one of the engine's workers; return whether there was one."""
    with contextlib.suppress(psutil.Error):
        children = psutil.Process(engine.pid).children(recursive=True)
        workers = [child for child in children if "studio.runs.worker" in " ".join(child.cmdline())]
        if workers:
            rng.choice(workers).kill()
            return True
    return False


def kill(process: "subprocess.Popen[bytes]") -> bool:
    """Kill a process; return whether it was alive."""
    alive = process.poll() is None
    if alive:
        os.kill(process.pid, signal.SIGKILL)
    return alive


def run_with_kills(
    path: Path, run_id: int, max_kills: int, rng: random.Random, kills: dict[str, int]
) -> list[Any]:
    """Work on a run with a maximum number of kills; return the records of each session.

    Args:
        path, run_id: The run.
        max_kills: Number of kills.
        rng: Draws instants and victims.
        kills: How often each of "engine", "worker", "window" was killed; counted up.

    Raises:
        AssertionError: If a reported trial is missing.
    """
    sessions, reported, over = [], 0, False
    while not over:
        window, engine = start_window(path), start_engine(path)
        try:
            # Engine, worker and window in turn; killing the engine ends the session.
            while engine.poll() is None and sum(kills.values()) < max_kills:
                victim = min(kills, key=lambda name: (kills[name], rng.random()))
                reported = wait_for_trials(path, run_id, reported + rng.randint(0, 9), engine)
                time.sleep(rng.random() * 0.05)
                # Only kills of living processes count.
                if victim == "worker":
                    kills[victim] += kill_a_worker(engine, rng)
                else:
                    kills[victim] += kill({"engine": engine, "window": window}[victim])
                    {"engine": engine, "window": window}[victim].wait()
                if victim == "window":
                    window = start_window(path)
            engine.wait(MAX_ENGINE_SECONDS)
        finally:
            for process in (window, engine):
                process.kill()
                process.wait()
        sessions.append(recorded(path, run_id))
        assert len(sessions[-1]) >= reported
        with Document.open(path, writable=False) as document:
            over = document.runs.get(run_id).state == "finished"
    return sessions
