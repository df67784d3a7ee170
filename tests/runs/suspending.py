"""Suspend an engine in the middle of trials; the tests and packaging/torture use it."""

import contextlib
import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import psutil

SLEEPER = "sleeps-a-second"
"""The hostile learner that only sleeps."""

ENGINE = f"""
import json, sys
from pathlib import Path
sys.path[:0] = [{str(Path(__file__).parent)!r}, {str(Path(__file__).parents[2])!r}]
from conftest import make_job_of
from studio.runs.limits import TrialLimits
from studio.runs.pool import WorkerPool
from suspending import rows

folder, workers, seconds, jobs = Path(sys.argv[1]), *map(int, sys.argv[2:])
limits = TrialLimits(seconds)
with WorkerPool(workers, folder, limits, rows(), learners_module="hostile_learners") as pool:
    for number in range(jobs):
        pool.submit(number, make_job_of({SLEEPER!r}))
    found, begun = {{}}, False
    while len(found) < jobs:
        for over in pool.wait(0.05):
            found[over.job_id] = getattr(over.result, "cause", ""), over.result.fit_seconds
        if not begun and all(each and each.has_begun for each in pool._group.slots):
            begun = True
            print("begun", flush=True)
print(json.dumps(found), flush=True)
"""


def rows() -> Any:
    """Return a table of 60 rows of two classes."""
    import numpy as np

    from studio.runs.staging import TrialData

    rng, numbers = np.random.default_rng(0), np.arange(60)
    X = rng.normal(size=(60, 3))
    return TrialData(
        X=X,
        y=(X[:, 0] > 0).astype(np.int64),
        task="binary",
        n_classes=2,
        categorical=np.zeros(3, dtype=bool),
        folds=((numbers[:36], numbers[36:48]),),
        validation=numbers[36:48],
        test=numbers[48:],
    )


def suspend(process: psutil.Process, seconds: float, *, whole: bool) -> None:
    """Suspend a process for some seconds; ``whole``: with its descendants."""
    family = [process, *process.children(recursive=True)] if whole else [process]
    for each in family:
        with contextlib.suppress(psutil.NoSuchProcess):
            each.send_signal(signal.SIGSTOP)
    time.sleep(seconds)
    # The engine last, so it sees what the others did meanwhile.
    for each in reversed(family):
        with contextlib.suppress(psutil.NoSuchProcess):
            each.send_signal(signal.SIGCONT)


def run_suspended_trials(
    folder: Path, *, workers: int, limit: int, jobs: int, away: float, whole: bool
) -> dict[str, tuple[str, float]]:
    """Suspend a pool as soon as its workers have begun; return each job's cause and seconds.

    Args:
        folder: An empty folder for the pool.
        workers, limit, jobs: Workers, seconds that a job may take, and jobs of a second each.
        away: Duration of the suspension.
        whole: Whether the workers are suspended, too.
    """
    command = [sys.executable, "-c", ENGINE, str(folder), str(workers), str(limit), str(jobs)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as engine:
        assert engine.stdout is not None
        assert engine.stdout.readline() == "begun\n"
        suspend(psutil.Process(engine.pid), away, whole=whole)
        outcomes: dict[str, tuple[str, float]] = json.loads(engine.stdout.readline())
        return outcomes
