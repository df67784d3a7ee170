"""A cluster worker's functions for a cell, called as by Dask."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from studio.compare import cluster_cells
from studio.compare.cluster_cells import CellReport, CellSpec, begin_cell, continue_cell, stop_cells
from studio.document.packages import RunPackage
from studio.document.runs import Request
from studio.document.store import Document
from tests.small_runs import new_run, small_table  # noqa: F401

pytestmark = pytest.mark.slow

LONG = 600


@pytest.fixture
def cell(new_run: Callable[..., tuple[Path, int]]) -> tuple[RunPackage, Any]:  # noqa: F811
    """Return a run without an end, and its table."""
    path, run_id = new_run(budget=LONG, method="RS", workers=1)
    from studio.data.reading import read
    from studio.data.table import Table

    with Document.open(path) as document:
        row = document.runs.get(run_id)
        table = Table.from_raw(read(Path(row.settings["source"]["path"])), target="target")
        document.tables.add(table.to_description(), table.to_arrays())
        return document.packages.pack(run_id), document.tables.read(1)


def wait_for_trials_of_cell(order: CellSpec, report: CellReport) -> list[CellReport]:
    """Ask for reports until one has trials; return all of them."""
    reports = [report]
    while reports[-1].package is None or not reports[-1].package.trials:
        assert not reports[-1].state, reports[-1]
        reports.append(continue_cell(order, ()))
    return reports


def test_remote_cell_reports_progress_and_stops_on_request(cell: tuple[RunPackage, Any]) -> None:
    order = CellSpec("study", 7, 1, 0.5)
    reports = wait_for_trials_of_cell(order, begin_cell(order, *cell))
    first = next(each for each in reports if each.package and each.package.settings)
    assert first.package is not None and set(first.package.split or {}) >= {"train", "test"}
    paused = continue_cell(order, (Request("pause"), Request("budget", LONG + 1)))
    while paused.package is None or paused.package.state != "paused":
        paused = continue_cell(order, ())
    assert continue_cell(order, ()).package is not None
    stop_cells("another study")
    assert not continue_cell(order, ()).state
    stop_cells("study")
    last = continue_cell(order, ())
    assert last.state == "stopped" and last.package is not None and last.package.state == "stopped"
    numbers = [each.trial.number for report in reports if report.package
               for each in report.package.trials]  # fmt: skip
    assert numbers == list(range(1, len(numbers) + 1))
    assert continue_cell(order, ()).state == "lost"
    assert begin_cell(order, *cell) == CellReport(None, "stopped")


def test_remote_cell_without_requests_terminates(
    cell: tuple[RunPackage, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster_cells, "ORPHAN_TIMEOUT", 0.0)
    order = CellSpec("forgotten", 7, 1, 0.1)
    processes_before = set(psutil.Process().children())
    assert not begin_cell(order, *cell).state
    cell_worker = (set(psutil.Process().children()) - processes_before).pop()
    cell_worker.wait(60)
    assert continue_cell(order, ()).state == "lost"
