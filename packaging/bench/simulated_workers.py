"""Simulated cluster workers with the recorded reports of a real cell."""

import json
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any

from studio.children import make_code_command, make_process_environment
from studio.compare import cluster_cells
from studio.compare.cluster_cells import CellReport, CellSpec
from studio.document.packages import RunPackage
from studio.document.store import Document

_SCHEDULER = "from distributed.cli.dask_scheduler import main; main()"
_WORKER = "from distributed.cli.dask_worker import main; main()"

WORKERS = 1000
REPORTS = 10
"""Of each cell, with as many trials each."""

ONE = "one.studio"
"""The document of the cell that all workers report."""


def answers(folder: Path) -> dict[str, Any]:
    """Return replacements of the remote functions.

    The folder has the document :data:`ONE`.
    """
    place = str(folder / ONE)
    return {"begin": partial(_begin_cell, place), "go_on": partial(_continue_cell, place)}


def _begin_cell(
    place: str, order: CellSpec, package: RunPackage, table: cluster_cells.Table
) -> CellReport:
    return _answered(place, (order.study, order.run), package)


def _continue_cell(place: str, order: CellSpec, requests: object) -> CellReport:
    return _answered(place, (order.study, order.run), None)


_WHOLE: dict[str, RunPackage] = {}
_READING = Lock()
_REPORTED: dict[tuple[str, int], int] = {}


def _answered(place: str, cell: tuple[str, int], asked: RunPackage | None) -> CellReport:
    """Return a cell's next report immediately.

    Args:
        place: The document of the real cell.
        cell: Identity of the cell.
        asked: What it shall be, at its beginning.
    """
    with _READING:
        if place not in _WHOLE:
            with Document.open(place, writable=False) as document:
                (run,) = document.runs.list_all()
                _WHOLE[place] = document.packages.pack(run.id)
        whole = _WHOLE[place]
    number = _REPORTED.get(cell, 0)
    _REPORTED[cell] = number + 1
    each = len(whole.trials) // REPORTS
    last = number + 1 == REPORTS
    settings: Mapping[str, Any] | None = None
    if asked is not None and whole.settings is not None:
        decided = {key: whole.settings[key] for key in ("metric", "source")}
        settings = {**(asked.settings or {}), **decided}
    result = whole.result if last else None
    if result is not None and result.test_error_ensemble is not None:
        # (Different errors, so that methods can be ranked.)
        error = result.test_error_ensemble + 1e-4 * (cell[1] * 7919 % 101)
        result = replace(result, test_error_ensemble=error)
    part = replace(
        whole,
        settings=settings,
        split=whole.split if settings else None,
        trials=whole.trials[number * each : None if last else (number + 1) * each],
        messages=whole.messages if last else (),
        running=(),
        state="finished" if last else "running",
        result=result,
    )
    return CellReport(part, "finished" if last else "")


class InProcessCellWorkers(cluster_cells.ClusterCellWorkers):
    """Simulated workers in this process, without Dask's overhead."""

    def __init__(self, document: Document, folder: Path) -> None:
        self._answer = answers(folder)
        super().__init__(document, "local:1")

    def _update_workers(self) -> None:
        self._threads = {"simulated": WORKERS}
        self._looked = float("inf")

    def _scatter_table(self, run_id: int) -> Any:
        return None

    def _submit(self, run_id: int, task: Any, *arguments: Any) -> None:
        cell = self._cells[run_id]
        cell.future = _Answer(self._answer[task.__name__](*arguments))
        self._replies.put((run_id, cell.future))

    def _collect_reports(self, futures: dict[int, Any]) -> dict[int, CellReport]:
        return {run_id: each.report for run_id, each in futures.items()}


class _Answer:
    def __init__(self, report: CellReport) -> None:
        self.report = report


@contextmanager
def dask(folder: Path) -> Iterator[str]:
    """Yield the address of a scheduler with one worker of a thousand threads."""
    file = folder / "scheduler.json"
    common = ("--no-dashboard",)
    scheduler = _start_process(folder, _SCHEDULER, "--host", "127.0.0.1", "--port", "0",
                         "--scheduler-file", str(file), *common)  # fmt: skip
    started = [scheduler]
    try:
        while not (file.exists() and file.read_text(encoding="utf-8").strip().endswith("}")):
            assert scheduler.poll() is None, "the scheduler did not start"
            time.sleep(0.05)
        address = str(json.loads(file.read_text(encoding="utf-8"))["address"])
        started.append(
            _start_process(folder, _WORKER, address, "--nthreads", str(WORKERS), "--no-nanny",
                     "--memory-limit", "0", "--local-directory", str(folder), *common)
        )  # fmt: skip
        yield address
    finally:
        for process in started:
            process.kill()
            process.wait()


def _start_process(folder: Path, code: str, *arguments: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        make_code_command(code, *arguments),
        cwd=folder,
        env=make_process_environment(PYTHONWARNINGS="ignore"),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
