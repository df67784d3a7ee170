"""Temporary folders may vanish during a run, or remain after it is killed."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from studio import children, scratch
from studio.document.store import Document
from studio.runs import finish, kept_ensemble
from studio.runs.engine import Engine
from studio.runs.jobs import TrialOutcome
from studio.runs.limits import TrialLimits
from studio.runs.pool import WorkerPool
from studio.runs.staging import TrialData

pytestmark = pytest.mark.slow
Make = Callable[..., tuple[Path, int]]


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def remove_folders(place: Path) -> None:
    for each in place.iterdir():
        shutil.rmtree(each, ignore_errors=True)  # folders recreated meanwhile may remain


def get_results(path: Path, run_id: int) -> list[Any]:
    """Return the losses of a run and its ensemble's result."""
    with Document.open(path, writable=False) as document:
        trials = [(row.trial.loss, row.trial.cause) for row in document.trials.list_rows(run_id)]
        return [*trials, document.runs.get(run_id).result.test_error_ensemble]


def test_run_continues_without_its_folder(
    new_run: Make, finished_run: Make, temporary: Path
) -> None:
    path, run_id = new_run(method="RS-post", budget=4)
    with Document.open(path) as document:
        assert (
            Engine(document, run_id, lambda _: remove_folders(temporary)).execute_run()
            == "finished"
        )
        assert document.runs.get(run_id).result.refitted
    assert not list(temporary.iterdir())
    assert get_results(path, run_id) == get_results(*finished_run(method="RS-post", budget=4))


def test_run_finishes_without_storing_missing_model_files(
    new_run: Make, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def serialize_after_cleanup(*given: Any, **more: Any) -> Any:
        remove_folders(temporary)
        return kept_ensemble.serialize_ensemble(*given, **more)

    monkeypatch.setattr(finish, "serialize_ensemble", serialize_after_cleanup)
    path, run_id = new_run(method="RS", budget=2)
    with Document.open(path) as document:
        assert Engine(document, run_id, lambda _: None).execute_run() == "finished"
        result = document.runs.get(run_id).result
    assert result is not None and result.kept_bytes == 0
    assert "trained again" in result.kept_reason


def test_later_workers_find_data_and_learners(
    temporary: Path, table: TrialData, make_job: Callable[..., Any], hostile_path: None
) -> None:
    with (
        scratch.make_scratch_folder() as folder,
        WorkerPool(1, folder, TrialLimits(60.0), table, learners_module="hostile_learners") as pool,
    ):
        rows = pool.stage_array("rows", table.validation)
        for number in range(3):
            remove_folders(temporary)
            if number == 1:
                for worker in list(pool._group.workers):
                    worker.kill()
            pool.submit(number, make_job("well-behaved"))
            while not (over := pool.wait(1.0)):
                pass
            assert isinstance(over[0].result, TrialOutcome), over
        assert rows.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="kill -9 is a POSIX signal")
def test_temporary_files_of_killed_run_are_removed_on_resume(new_run: Make, tmp_path: Path) -> None:
    folder = tmp_path / "temporary"
    folder.mkdir()
    path, run_id = new_run(method="RS", budget=30)
    environment = {**os.environ, "TMPDIR": str(folder)}
    command = children.make_studio_command("resume", path, "--quiet")
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL) as process:
        with Document.open(path, writable=False) as document:
            while document.trials.count(run_id) < 2:
                time.sleep(0.05)
        process.send_signal(signal.SIGKILL)
    assert list(folder.iterdir())
    subprocess.run(
        [*command, "--budget", "3"], env=environment, stdout=subprocess.DEVNULL, check=True
    )
    assert not list(folder.iterdir())
