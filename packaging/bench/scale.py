"""Scalability of coordinator and document: a thousand workers with immediate answers.

One real cell is computed; what it reported is what every simulated worker answers, for cells of
their own, as soon as it is asked. So what is measured is the coordinator, Dask between it and the
workers, and the document, and never the training (`docs/studies/scale.md`).
"""

import pickle
import time
from contextlib import nullcontext
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from unittest.mock import patch

import numpy as np

from bench.simulated_workers import ONE, REPORTS, InProcessCellWorkers, answers, dask
from studio.compare import cluster_cells, study_runner
from studio.compare.cells import add_run, enumerate_cells
from studio.compare.cluster_cells import CellReport
from studio.compare.datasets import load_dataset
from studio.compare.helper_tasks import load_study_grid
from studio.compare.interim_results import InterimReader
from studio.compare.study import Study, load_study
from studio.document.packages import RunPackage
from studio.document.store import Document
from studio.runs.engine import Engine
from studio.runs.inline import InlinePool
from studio.scratch import make_scratch_folder
from studio.system.memory import get_peak_memory

TRIALS = 100

ROWS = 1000
METHODS = ("RS-post", "EO-sqm", "BO-post", "SMBO", "RS")
REPETITIONS = 10


def scale() -> dict[str, float | None]:
    """Measure 1,000 cells of 100 trials, through Dask as well; some minutes.

    Returns:
        Bytes of ``table``, of a whole cell as it is reported (``cell_bytes``), of an empty report
        (``report_bytes``) and of a cell in the document (``kept_bytes``); CPU seconds of the
        coordinator: ``begin_s`` for reading and preparing the study, ``cell_s`` for a cell and
        ``trial_us`` microseconds for a trial without Dask, ``dask_ms`` milliseconds that Dask adds
        to each report, and ``dask_wall_ms`` wall milliseconds of a report; of reading the finished
        study: :func:`_measure_reads`.
    """
    with make_scratch_folder() as folder:
        cell = _make_cell(folder)
        alone = _run_simulated(folder, 20, "alone.studio", None)
        with dask(folder) as address:
            through = _run_simulated(folder, 2, "through.studio", address)
        reports = 2 * len(METHODS) * REPETITIONS * REPORTS
        own = alone["work_s"] / (20 * len(METHODS) * REPETITIONS * REPORTS)
        return {
            **_measure_sizes(cell),
            **alone,
            "dask_ms": 1e3 * (through["work_s"] / reports - own),
            "dask_wall_ms": 1e3 * through["wall_s"] / reports,
            **_measure_reads(folder / "alone.studio"),
        }


def scale_10000() -> dict[str, float | None]:
    """Measure a study of 10,000 cells of 100 trials without Dask; half an hour and 5 GB.

    Returns:
        As :func:`scale`, without what is measured through Dask.
    """
    with make_scratch_folder() as folder:
        cell = _make_cell(folder)
        done = _run_simulated(folder, 200, "large.studio", None)
        return {**_measure_sizes(cell), **done, **_measure_reads(folder / "large.studio")}


def _write_tables(folder: Path, count: int) -> Path:
    """Write data sets of one content under different names."""
    made = folder / f"tables-{count}"
    made.mkdir(exist_ok=True)
    rng = np.random.default_rng(0)
    x = rng.normal(size=(ROWS, 10))
    labels = x[:, 0] * x[:, 1] + 0.5 * rng.normal(size=ROWS) > 0
    lines = [",".join([*(f"x{column}" for column in range(10)), "target"])]
    lines += [
        ",".join([*(f"{value:.5f}" for value in row), "yes" if label else "no"])
        for row, label in zip(x, labels, strict=True)
    ]
    for number in range(count):
        (made / f"table-{number}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return made


def _make_study(folder: Path, data: int, methods: tuple[str, ...], repetitions: int) -> Study:
    given = {"methods": list(methods), "spaces": ["svm-rbf"], "budget": TRIALS}
    return load_study(_write_tables(folder, data), None, {**given, "repetitions": repetitions})


def _make_cell(folder: Path) -> tuple[RunPackage, cluster_cells.Table]:
    """Return a computed cell and its table."""
    study = _make_study(folder, 1, METHODS[:1], 1)
    with Document.create(folder / ONE) as document:
        datasets = [load_dataset(document, study, entry) for entry in study.data]
        run_id = add_run(document, enumerate_cells(study, datasets)[0])
        Engine(document, run_id, lambda progress: None, InlinePool).execute_run()
        return document.packages.pack(run_id), document.tables.read(1)


def _measure_sizes(cell: tuple[RunPackage, cluster_cells.Table]) -> dict[str, float | None]:
    package, table = cell
    empty = replace(package, settings=None, split=None, trials=(), messages=(), result=None)
    return {
        "table": float(len(pickle.dumps(table))),
        "cell_bytes": float(len(pickle.dumps(CellReport(package)))),
        "report_bytes": float(len(pickle.dumps(CellReport(empty)))),
    }


def _run_simulated(folder: Path, data: int, name: str, address: str | None) -> dict[str, float]:
    """Conduct a study on simulated workers, in this process or through a scheduler."""
    study, path = _make_study(folder, data, METHODS, REPETITIONS), folder / name
    begun = _Moment()

    def opened(document: Document, *_: object) -> cluster_cells.ClusterCellWorkers:
        begun.set()
        if address is None:
            return InProcessCellWorkers(document, folder)
        return cluster_cells.ClusterCellWorkers(document, address)

    start = _Moment()
    with (
        patch.object(study_runner, "_make_cell_workers", opened),
        patch.multiple(cluster_cells, **answers(folder)) if address else nullcontext(),
    ):
        study_result = study_runner.run_study(
            path, study, None, lambda step: None, cluster="simulated"
        )
    over = _Moment()
    cells = data * len(METHODS) * REPETITIONS
    assert len(study_result.runs) == cells, study_result.failures
    work = over.cpu - begun.cpu
    return {
        "cells": float(cells),
        "begin_s": begun.cpu - start.cpu,
        "work_s": work,
        "wall_s": over.wall - begun.wall,
        "cell_s": work / cells,
        "trial_us": 1e6 * work / (cells * TRIALS),
        "kept_bytes": path.stat().st_size / cells,
    }


class _Moment:
    """CPU time and wall time at the last reading."""

    def __init__(self) -> None:
        self.set()

    def set(self) -> None:
        """Record the current times."""
        self.cpu, self.wall = time.process_time(), time.perf_counter()


def _measure_reads(path: Path) -> dict[str, float | None]:
    """Measure CPU seconds of the Compare page's tasks for a finished study.

    Returns:
        ``file_gb``; ``open_s`` for opening the document with its checks, ``grid_s`` for the grid,
        ``tables_s`` for the first tables, ``again_s`` for tables whose cells are known, and
        ``memory_mb``, the most that the process has taken.
    """
    moments = [_Moment()]
    with Document.open(path, writable=False):
        moments.append(_Moment())
    load_study_grid(path)
    moments.append(_Moment())
    so_far = InterimReader(path)
    for _ in range(2):
        so_far.read(thorough=False)
        moments.append(_Moment())
    spent = [after.cpu - before.cpu for before, after in pairwise(moments)]
    return {
        "file_gb": path.stat().st_size / 1e9,
        **dict(zip(("open_s", "grid_s", "tables_s", "again_s"), spent, strict=True)),
        "memory_mb": get_peak_memory() / 2**20,
    }
