"""LocalCellWorkers with invalid output are lost, and cell workers with invalid input end."""

import subprocess
import sys
from pathlib import Path

import pytest

from studio.compare import cell_workers
from studio.compare.cell_workers import CellWorkerReport, LocalCellWorkers, make_cell_worker_command
from tests.hostile_json import HOSTILE

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    "line",
    [
        *HOSTILE[1:2],
        '{"run": 1e999}',
        '{"run": NaN, "state": "finished"}',
        '{"run": "1", "state": "finished"}',
        '{"run": 1, "unknown": 2}',
        "{",
        "{\udcff",
    ],
)
def test_cell_worker_with_invalid_output_is_lost(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, line: str
) -> None:
    after_message = tmp_path / "after_message"
    after_message.write_bytes(line.encode(errors="surrogateescape") + b"\n")
    program = (
        "import pathlib, sys; sys.stdin.readline(); "
        "sys.stdout.buffer.write(pathlib.Path(sys.argv[1]).read_bytes()); "
        "sys.stdout.flush(); sys.stdin.read()"
    )
    command = [sys.executable, "-c", program, str(after_message)]
    monkeypatch.setattr(cell_workers, "make_cell_worker_command", lambda *_: command)
    with LocalCellWorkers(tmp_path / "any.studio", 1) as opened:
        opened.start(7)
        news = opened.wait(60.0)
        assert isinstance(news, CellWorkerReport)
        assert (news.run, news.state) == (7, "lost")
        assert not opened.is_busy()


def test_dead_cell_worker_is_closed_without_error(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The run's number, which the dead process has not read, is still in the buffer."""
    command = [sys.executable, "-c", "pass"]
    monkeypatch.setattr(cell_workers, "make_cell_worker_command", lambda *_: command)
    opened = LocalCellWorkers(tmp_path / "any.studio", 1)
    opened.start(7)
    (running,) = opened._cell_workers.values()
    process = running.process
    assert process.wait() == 0 and process.stdin is not None
    process.stdin.write("8\n")
    opened.close()
    assert process.stdin.closed


@pytest.mark.parametrize("number", ["one", "1e5", "9" * 5000])
def test_cell_worker_ends_on_invalid_run_number(tmp_path: Path, number: str) -> None:
    command = make_cell_worker_command(tmp_path / "any.studio", 1)
    with subprocess.Popen(command, stdin=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        process.stdin.write(f"{number}\n")
        process.stdin.flush()
        assert process.wait(60) == 0
