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

from studio.compare.coordinator import load_coordinator
from studio.document.store import Document

ROOT = Path(__file__).parents[2]
KILLS = 2
BUDGET = 6
CELLS = 2
SEED = 42
MAX_TRIALS = 4
"""Maximum number of trials between two kills, so that all kills precede the end."""

TIMES = {"seconds", "suggest_seconds"}
OF_TIMES = ("cost", "runs")
"""Prefix of the files of times."""
"""The one table of times, which are never the same twice."""

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="kill -9 is a POSIX signal")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder of a small table."""
    data_folder = tmp_path / "tables"
    data_folder.mkdir()
    lines = ["a,b,target"]
    for a, b, noise in np.random.default_rng(0).normal(size=(90, 3)):
        lines.append(f"{a:.4f},{b:.4f},{'yes' if a * b + 0.3 * noise > 0 else 'no'}")
    (data_folder / "one.csv").write_text("\n".join(lines) + "\n")
    return data_folder


def start(folder: Path, document: Path, cell_workers: int) -> "subprocess.Popen[str]":
    """Start or continue the study, writing results into the document's folder."""
    argv = [
        sys.executable, "-m", "studio", "compare", str(folder), "--methods", "RS-post,EO-sqm",
        "--spaces", "svm-rbf", "--budget", str(BUDGET), "--repetitions", "1",
        "--workers", str(cell_workers), "--json", "--tables", str(document.with_suffix("")),
        "-o", str(document),
    ]  # fmt: skip
    return subprocess.Popen(
        argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=ROOT
    )


def read_output(process: "subprocess.Popen[str]") -> dict[str, Any]:
    """Return the output of a finished study, without times."""
    output, _ = process.communicate()
    assert process.returncode == 0
    content: dict[str, Any] = json.loads(output.splitlines()[-1])
    return {key: value for key, value in content.items() if key not in TIMES}


def read_results(document: Path) -> dict[str, str]:
    """Return the written tables and diagrams, without times."""
    return {
        path.name: path.read_text()
        for path in sorted(document.with_suffix("").iterdir())
        if not path.name.startswith(OF_TIMES)
    }


def read_recorded_trials(document: Path) -> dict[str, Any]:
    """Return each run's trials and results by name."""
    with Document.open(document, writable=False) as opened:
        return {
            row.name: (
                row.state,
                [
                    (each.configuration, each.loss, each.seed)
                    for each in opened.trials.list_all(row.id)
                ],
                [each.members for each in opened.trials.list_iterations(row.id)],
            )
            for row in opened.runs.list_all()
        }


def list_trials(document: Path) -> list[int]:
    """Return the current number of trials of each run of a document."""
    if not document.exists():
        return []
    with Document.open(document, writable=False) as opened:
        return count_trials(opened)


def count_trials(opened: Document) -> list[int]:
    return [opened.trials.count(row.id) for row in opened.runs.list_all()]


def has_begun(process: "subprocess.Popen[str]", opened: Document) -> bool:
    """Return whether this process is the document's coordinator."""
    last = load_coordinator(opened)
    return last is not None and last.owner.pid == process.pid


def kill_after(
    process: "subprocess.Popen[str]", document: Path, trials: int, *, everything: bool
) -> None:
    """Wait for more trials, then kill the study, optionally with its children.

    With 0 trials, it is killed right after its start.
    """
    n_required_trials = sum(list_trials(document)) + trials
    while not document.exists():
        assert process.poll() is None, "the study ended before it made its document"
        time.sleep(0.002)  # only to leave the core to the study; nothing is timed
    with Document.open(document, writable=False) as opened:
        while not has_begun(process, opened) or sum(count_trials(opened)) < n_required_trials:
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
    killed, undisturbed = tmp_path / "killed.studio", tmp_path / "whole.studio"
    untouched = start(folder, undisturbed, cell_workers=1)
    n_mid_search = 0
    for _ in range(KILLS):
        # The number of concurrent cells may also change in between.
        process = start(folder, killed, cell_workers=moments.choice((1, 2)))
        kill_after(
            process, killed, moments.randint(0, MAX_TRIALS), everything=moments.random() < 0.5
        )
        n_mid_search += any(0 < count < BUDGET for count in list_trials(killed))
    assert n_mid_search >= KILLS // 2, "many kills hit a running search"

    mine, theirs = read_output(start(folder, killed, cell_workers=1)), read_output(untouched)
    assert theirs["cells"] == CELLS
    assert mine == theirs
    assert read_recorded_trials(killed) == read_recorded_trials(undisturbed)
    assert read_results(killed) == read_results(undisturbed)
    assert "errors.csv" in read_results(undisturbed)
