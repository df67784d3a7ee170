"""The number of workers is limited by the machine, with a message."""

from collections.abc import Callable
from pathlib import Path

import pytest

from studio.cli.entry import main
from studio.compare import study_runner
from studio.compare.study import load_study
from studio.document.store import Document
from studio.errors import StudioError
from studio.runs.engine import Engine
from studio.runs.inline import InlinePool
from studio.runs.limits import (
    MAX_WORKERS_PER_CORE,
    MIN_MEMORY,
    explain_worker_limit,
    get_worker_count,
    limit_workers,
)
from studio.runs.pool import start_early_workers

MANY = 1_000_000


@pytest.fixture
def one_core(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("studio.runs.limits.count_cores", lambda: 1)


@pytest.fixture
def one_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limit each core to one worker."""
    monkeypatch.setattr("studio.runs.limits.MAX_WORKERS_PER_CORE", 1)


def test_number_of_workers_is_bounded_by_cores(one_core: None) -> None:
    assert get_worker_count(1) == 1
    assert get_worker_count(MANY) == MAX_WORKERS_PER_CORE
    assert explain_worker_limit(MAX_WORKERS_PER_CORE) == ""
    assert "1,000,000 workers were requested" in explain_worker_limit(MANY)


def test_number_of_workers_is_bounded_by_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    bytes_here = 4 * MIN_MEMORY
    monkeypatch.setattr("studio.runs.limits.count_cores", lambda: 64)
    monkeypatch.setattr("studio.runs.limits.get_memory", lambda: bytes_here)
    assert get_worker_count(MANY) == 3  # four fifths of it
    bytes_here = MIN_MEMORY // 2
    assert get_worker_count(MANY) == 1


@pytest.mark.slow
def test_run_reduces_workers_to_machine_limit(
    one_core: None, one_worker: None, new_run: Callable[..., tuple[Path, int]]
) -> None:
    path, run_id = new_run(workers=MANY)
    with Document.open(path) as document, start_early_workers(document, run_id) as make_pool:
        assert make_pool is not None
        assert document.runs.get(run_id).settings["workers"] == 1
        (message,) = document.journal.list_messages(run_id)
        assert "at most 1 " in message.text
        assert limit_workers(document, run_id) == ""


@pytest.mark.slow
def test_worker_limit_applies_to_api_and_window(
    one_core: None, new_run: Callable[..., tuple[Path, int]]
) -> None:
    path, run_id = new_run(method="RS", budget=1, workers=MANY)
    with Document.open(path) as document:
        Engine(document, run_id, lambda _: None, InlinePool).execute_run()
        assert document.runs.get(run_id).settings["workers"] == MAX_WORKERS_PER_CORE


def test_worker_limit_applies_to_cell_workers(
    one_core: None, small_table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts: list[int] = []

    def no_cell_workers(path: Path, count: int) -> None:
        counts.append(count)
        raise StudioError("Enough is known.")

    monkeypatch.setattr("studio.compare.study_runner.LocalCellWorkers", no_cell_workers)
    changes = {"methods": ["RS"], "spaces": ["svm-rbf"], "budget": 1, "repetitions": 1}
    study = load_study(small_table.parent, None, changes)
    with pytest.raises(StudioError, match="Enough"):
        study_runner.run_study(tmp_path / "c.studio", study, MANY, lambda _: None)
    assert counts == [MAX_WORKERS_PER_CORE]


def test_worker_limit_does_not_apply_to_cluster(
    one_core: None, new_run: Callable[..., tuple[Path, int]]
) -> None:
    address = "tcp://10.0.0.1:8786"
    path, run_id = new_run(workers=MANY, cluster=address)
    with Document.open(path) as document:
        assert limit_workers(document, run_id, address) == ""
        assert limit_workers(document, run_id) != ""


@pytest.mark.slow
@pytest.mark.parametrize(
    "command_template", ["run {table} -o {new} --method RS --budget 1", "resume {path} --budget 1"]
)
def test_command_line_reports_worker_limit(
    command_template: str,
    one_core: None,
    one_worker: None,
    new_run: Callable[..., tuple[Path, int]],
    small_table: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path, _ = new_run(method="RS", workers=1)
    command_line = command_template.format(
        table=small_table, new=tmp_path / "new.studio", path=path
    )
    assert main([*command_line.split(), "--workers", str(MANY), "--quiet"]) == 0
    assert "\n1,000,000 workers were requested" in f"\n{capsys.readouterr().err}"
