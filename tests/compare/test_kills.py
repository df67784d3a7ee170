"""A repeatedly killed study gives the same tables as an undisturbed one."""

import contextlib
import json
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest

from studio.compare.conductor import conductor
from studio.document.store import Document

ROOT = Path(__file__).parents[2]
KILLS = 2
BUDGET = 6
CELLS = 2
SEED = 42
MAX_TRIALS = 4
"""Between two kills at most so many trials are waited for, so that all come before its end."""

TIMES = {"seconds", "suggest_seconds"}
OF_TIMES = ("cost", "runs")
"""How the files that hold times begin."""
"""The one table of times, which are never the same twice."""

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="kill -9 is a POSIX signal")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder of a small table."""
    made = tmp_path / "tables"
    made.mkdir()
    lines = ["a,b,target"]
    for a, b, noise in np.random.default_rng(0).normal(size=(90, 3)):
        lines.append(f"{a:.4f},{b:.4f},{'yes' if a * b + 0.3 * noise > 0 else 'no'}")
    (made / "one.csv").write_text("\n".join(lines) + "\n")
    return made


def start(folder: Path, document: Path, lanes: int) -> "subprocess.Popen[str]":
    """Begin the study, or go on with it; what it writes goes beside the document."""
    words = [
        sys.executable, "-m", "studio", "compare", str(folder), "--methods", "RS-post,EO-sqm",
        "--spaces", "svm-rbf", "--budget", str(BUDGET), "--repetitions", "1",
        "--workers", str(lanes), "--json", "--tables", str(document.with_suffix("")),
        "-o", str(document),
    ]  # fmt: skip
    return subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=ROOT
    )


def found(process: "subprocess.Popen[str]") -> dict[str, Any]:
    """Return what a study that ended has printed, but for times."""
    told, _ = process.communicate()
    assert process.returncode == 0
    content: dict[str, Any] = json.loads(told.splitlines()[-1])
    return {key: value for key, value in content.items() if key not in TIMES}


def written(document: Path) -> dict[str, str]:
    """Return every table and diagram that was written, but for times."""
    return {
        path.name: path.read_text()
        for path in sorted(document.with_suffix("").iterdir())
        if not path.name.startswith(OF_TIMES)
    }


def recorded(document: Path) -> dict[str, Any]:
    """Return what every run tried and found, by its name."""
    with Document.open(document, writable=False) as opened:
        return {
            row.name: (
                row.state,
                [(each.configuration, each.loss, each.seed) for each in opened.trials.all(row.id)],
                [each.members for each in opened.trials.iterations(row.id)],
            )
            for row in opened.runs.all()
        }


def trials_of(document: Path) -> list[int]:
    """Return how many trials each run of a document has by now."""
    if not document.exists():
        return []
    with Document.open(document, writable=False) as opened:
        return counted(opened)


def counted(opened: Document) -> list[int]:
    return [opened.trials.count(row.id) for row in opened.runs.all()]


def has_begun(process: "subprocess.Popen[str]", opened: Document) -> bool:
    """Whether the document names this process as the one that works on the study."""
    last = conductor(opened)
    return last is not None and last.owner.pid == process.pid


def kill_after(
    process: "subprocess.Popen[str]", document: Path, trials: int, *, everything: bool
) -> None:
    """Wait for so many more trials, then kill the study, alone or with all that it started.

    Without any trial to wait for, it is killed as soon as it has begun.
    """
    wanted = sum(trials_of(document)) + trials
    while not document.exists():
        assert process.poll() is None, "the study ended before it made its document"
        time.sleep(0.002)  # only not to take the study's core; nothing is timed
    with Document.open(document, writable=False) as opened:
        while not has_begun(process, opened) or sum(counted(opened)) < wanted:
            assert process.poll() is None, "the study ended before it could be killed"
            time.sleep(0.002)
    victims = [psutil.Process(process.pid)]
    if everything:
        victims += victims[0].children(recursive=True)
    for each in victims:
        with contextlib.suppress(psutil.NoSuchProcess):
            each.kill()
    process.communicate()
    assert process.returncode == -signal.SIGKILL


@pytest.mark.slow
def test_random_kills_do_not_change_results(folder: Path, tmp_path: Path) -> None:
    moments = random.Random(SEED)
    killed, whole = tmp_path / "killed.studio", tmp_path / "whole.studio"
    untouched = start(folder, whole, lanes=1)
    amid = 0
    for _ in range(KILLS):
        # How many cells are worked on at once may change in between as well.
        process = start(folder, killed, lanes=moments.choice((1, 2)))
        kill_after(
            process,
            killed,
            moments.randint(0, MAX_TRIALS),
            everything=moments.random() < 0.5,
        )
        amid += any(0 < count < BUDGET for count in trials_of(killed))
    assert amid >= KILLS // 2, "many kills come while a search is under way"

    mine, theirs = found(start(folder, killed, lanes=1)), found(untouched)
    assert theirs["cells"] == CELLS
    assert mine == theirs
    assert recorded(killed) == recorded(whole)
    assert written(killed) == written(whole)
    assert "errors.csv" in written(whole)
