"""Faults of groups 8 and 9: they give a message, and the run continues."""

import contextlib
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from studio.document.store import Document
from studio.errors import DocumentError, RunError, StudioError
from studio.runs.engine import Engine
from studio.runs.inline import InlinePool
from studio.runs.pool import WorkerPool
from studio.runs.settings import TableSource
from studio.space.library import load
from tests.facts import about

pytestmark = pytest.mark.slow

Make = Callable[..., tuple[Path, int]]


def work(path: Path, run_id: int, pool: Any = InlinePool) -> str:
    """Work on a run, by default without worker processes."""
    with Document.open(path) as document:
        return Engine(document, run_id, lambda progress: None, pool).execute_run()


def test_trials_over_time_limit_fail_with_message(new_run: Make, tmp_path: Path) -> None:
    # Support vector machines on pure noise: no computer fits them within the limit.
    rng = np.random.default_rng(0)
    table = tmp_path / "noise.csv"
    rows = np.column_stack([rng.normal(size=(6000, 30)), rng.integers(2, size=6000)])
    header = ",".join([*(f"x{i}" for i in range(30)), "target"])
    np.savetxt(table, rows, delimiter=",", header=header, comments="", fmt="%.4g")
    space = load("svm-rbf").to_json()
    source = TableSource(path=str(table))
    path, run_id = new_run(trial_seconds=0.01, budget=2, method="RS", space=space, source=source)
    with pytest.raises(RunError, match="time limit", check=about(count=2)):
        work(path, run_id, WorkerPool)
    with Document.open(path, writable=False) as document:
        trials = document.trials.list_all(run_id)
        assert document.runs.get(run_id).state == "failed"
    assert [trial.loss for trial in trials] == [None, None]
    assert all("0.01 seconds" in trial.cause and trial.remedy for trial in trials)


def test_too_low_memory_limit_is_rejected(new_run: Make) -> None:
    path, run_id = new_run(trial_memory=10)
    with pytest.raises(StudioError, match="at least 400 MB"):
        work(path, run_id)


def test_second_engine_on_same_run_is_rejected(new_run: Make) -> None:
    path, run_id = new_run(budget=3)
    owner = subprocess.Popen(
        [sys.executable, "-c",
         "import sys, time\nfrom studio.document.store import Document\n"
         "d = Document.open(sys.argv[1]); d.owners.claim(int(sys.argv[2]))\n"
         "print('claimed', flush=True); sys.stdin.read()",
         str(path), str(run_id)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert owner.stdout is not None
        assert owner.stdout.readline().strip() == "claimed"
        with pytest.raises(DocumentError, check=about(row="'test'", pid=str(owner.pid))):
            work(path, run_id)
    finally:
        owner.kill()
        owner.communicate()
    # A dead owner's run is taken over without confirmation.
    assert work(path, run_id) == "finished"


@pytest.mark.skipif(sys.platform == "win32", reason="needs a limit on file sizes")
def test_run_stops_on_full_disk_and_continues_later(new_run: Make, finished_run: Make) -> None:
    uninterrupted = numbers(*finished_run(budget=12, method="RS-post"))
    path, run_id = new_run(budget=12, method="RS-post")
    code = (
        "import resource, signal, sys\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "from pathlib import Path\n"
        "from studio.document.store import Document\n"
        "from studio.runs.engine import Engine\n"
        "document = Document.open(Path(sys.argv[1]))\n"
        "def tell(progress):\n"
        "    if progress.trial is not None and progress.trial.number == 4:\n"
        "        now = Path(sys.argv[1]).stat().st_size\n"
        "        resource.setrlimit(resource.RLIMIT_FSIZE, (now, resource.RLIM_INFINITY))\n"
        "try:\n"
        "    Engine(document, int(sys.argv[2]), tell).execute_run()\n"
        "except Exception as error:\n"
        "    print(type(error).__name__, error)\n"
    )
    process = subprocess.run(
        [sys.executable, "-c", code, str(path), str(run_id)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "DocumentWriteError" in process.stdout, process.stdout + process.stderr
    with Document.open(path, writable=False) as document:
        n_trials = document.trials.count(run_id)
    assert n_trials >= 4
    assert work(path, run_id) == "finished"
    assert numbers(path, run_id) == uninterrupted


def numbers(path: Path, run_id: int) -> list[Any]:
    with Document.open(path, writable=False) as document:
        return [(dict(t.configuration), t.loss) for t in document.trials.list_all(run_id)]


@pytest.mark.parametrize(
    ("content", "pattern"),
    [
        ("", "empty"),
        ("a,b,target\n", "no rows|only"),
        ("a,target\n1,x\n2,x\n3,x\n", "one class|only one"),
        ("a,target\n1,\n2,\n3,\n", "target"),
        ("target\nx\ny\n", "feature|column"),
        ("a,target\n1,x\n2,y\n", "not classes"),
    ],
)
def test_unusable_table_fails_run_with_message(
    new_run: Make, tmp_path: Path, content: str, pattern: str
) -> None:
    table = tmp_path / "bad.csv"
    table.write_text(content)
    path, run_id = new_run(source=TableSource(path=str(table)))
    with pytest.raises(StudioError, match=f"(?i){pattern}") as error_info:
        work(path, run_id)
    with Document.open(path, writable=False) as document:
        row = document.runs.get(run_id)
    assert row.state == "failed"
    assert row.message == str(error_info.value)


def test_run_survives_single_row_class_and_constant_column(new_run: Make, tmp_path: Path) -> None:
    table = tmp_path / "rare.csv"
    rows = [f"{i % 9},{(i * 7) % 5},5,{'ab'[i % 2]}" for i in range(60)] + ["1,1,5,c"]
    table.write_text("x,y,same,target\n" + "\n".join(rows) + "\n")
    path, run_id = new_run(source=TableSource(path=str(table)), budget=6, method="RS-post")
    assert work(path, run_id) == "finished"


def test_cleaned_temporary_folder_does_not_lose_trial(
    new_run: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setenv("TMPDIR", str(scratch))
    monkeypatch.setattr("tempfile.tempdir", None)
    path, run_id = new_run(budget=5, method="RS")

    def clean(progress: Any) -> None:
        if progress.trial is not None and progress.trial.number == 2:
            for file in scratch.rglob("*.npy"):
                os.unlink(file)

    with Document.open(path) as document:
        engine = Engine(document, run_id, clean)
        with contextlib.suppress(StudioError):
            engine.execute_run()
        n_trials = document.trials.count(run_id)
    assert n_trials >= 2
    assert work(path, run_id) == "finished"
    with Document.open(path, writable=False) as document:
        assert document.trials.count(run_id) == 5
