"""How large a study a conductor and a document carry: a thousand workers that answer at once.

One real cell is computed; what it reported is what every simulated worker answers, for cells of
their own, as soon as it is asked. So what is measured is the conductor, Dask between it and the
workers, and the document, and never the training (`docs/studies/scale.md`).
"""

import json
import pickle
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from studio.children import code_command, surroundings
from studio.compare import conduct as conducting
from studio.compare.cells import add_run, cells_of
from studio.compare.cluster import lanes, remote
from studio.compare.cluster.remote import Order, Report
from studio.compare.datasets import load_dataset
from studio.compare.grid import study_grid
from studio.compare.so_far import SoFar
from studio.compare.study import Study, load_study
from studio.document.parcels import Parcel
from studio.document.store import Document
from studio.runs.engine import Engine
from studio.runs.inline import InlinePool
from studio.scratch import scratch_folder

WORKERS = 1000
TRIALS = 100
REPORTS = 10
"""Of each cell, with as many trials each."""

ROWS = 1000
METHODS = ("RS-post", "EO-sqm", "BO-post", "SMBO", "RS")
REPETITIONS = 10

_SCHEDULER = "from distributed.cli.dask_scheduler import main; main()"
_WORKER = "from distributed.cli.dask_worker import main; main()"


def scale() -> dict[str, float | None]:
    """Measure 1,000 cells of 100 trials, through Dask as well; some minutes.

    Returns
    -------
    dict
        Bytes of ``table``, of a whole cell as it is reported (``cell_bytes``), of an empty report
        (``report_bytes``) and of a cell in the document (``kept_bytes``); CPU seconds of the
        conductor: ``begin_s`` for reading and preparing the study, ``cell_s`` for a cell and
        ``trial_us`` microseconds for a trial without Dask, ``dask_ms`` milliseconds that Dask adds
        to each report, and ``dask_wall_ms`` wall milliseconds of a report; of reading the
        finished study: :func:`_read`.
    """
    with scratch_folder() as folder:
        cell = _one_cell(folder)
        alone = _simulated(folder, cell, 20, "alone.studio", None)
        with _dask(folder) as address:
            through = _simulated(folder, cell, 2, "through.studio", address)
        reports = 2 * len(METHODS) * REPETITIONS * REPORTS
        own = alone["work_s"] / (20 * len(METHODS) * REPETITIONS * REPORTS)
        return {
            **_sizes(cell),
            **alone,
            "dask_ms": 1e3 * (through["work_s"] / reports - own),
            "dask_wall_ms": 1e3 * through["wall_s"] / reports,
            **_read(folder / "alone.studio"),
        }


def scale_10000() -> dict[str, float | None]:
    """Measure a study of 10,000 cells of 100 trials without Dask; half an hour and 5 GB.

    Returns
    -------
    dict
        As :func:`scale`, without what is measured through Dask.
    """
    with scratch_folder() as folder:
        cell = _one_cell(folder)
        done = _simulated(folder, cell, 200, "large.studio", None)
        return {**_sizes(cell), **done, **_read(folder / "large.studio")}


def _tables(folder: Path, count: int) -> Path:
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


def _study(folder: Path, data: int, methods: tuple[str, ...], repetitions: int) -> Study:
    given = {"methods": list(methods), "spaces": ["svm-rbf"], "budget": TRIALS}
    return load_study(_tables(folder, data), None, {**given, "repetitions": repetitions})


def _one_cell(folder: Path) -> tuple[Parcel, remote.Table]:
    """Return a cell that was really computed, and its table."""
    study = _study(folder, 1, METHODS[:1], 1)
    with Document.create(folder / "one.studio") as document:
        datasets = [load_dataset(document, study, entry) for entry in study.data]
        run_id = add_run(document, cells_of(study, datasets)[0])
        Engine(document, run_id, lambda progress: None, InlinePool).work()
        return document.pack(run_id), document.read_table(1)


def _sizes(cell: tuple[Parcel, remote.Table]) -> dict[str, float | None]:
    parcel, table = cell
    empty = replace(parcel, settings=None, split=None, trials=(), messages=(), result=None)
    return {
        "table": float(len(pickle.dumps(table))),
        "cell_bytes": float(len(pickle.dumps(Report(parcel)))),
        "report_bytes": float(len(pickle.dumps(Report(empty)))),
    }


def _simulated(
    folder: Path,
    cell: tuple[Parcel, remote.Table],
    data: int,
    name: str,
    address: str | None,
) -> dict[str, float]:
    """Conduct a study on workers that answer at once, in this process or through a scheduler."""
    study, path = _study(folder, data, METHODS, REPETITIONS), folder / name
    (folder / _CELL).write_bytes(pickle.dumps(cell[0]))
    begun = _Moment()

    def opened(document: Document, *_: object) -> lanes.ClusterLanes:
        begun.set()
        if address is None:
            return _Here(document, folder)
        return lanes.ClusterLanes(document, address)

    start = _Moment()
    with (
        patch.object(conducting, "lanes_for", opened),
        patch.multiple(remote, **_answers(folder)) if address else nullcontext(),
    ):
        conducted = conducting.conduct(path, study, None, lambda step: None, cluster="simulated")
    over = _Moment()
    cells = data * len(METHODS) * REPETITIONS
    assert len(conducted.runs) == cells, conducted.failures
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
    """A moment by this process's CPU and by the clock."""

    def __init__(self) -> None:
        self.set()

    def set(self) -> None:
        """Make it now."""
        self.cpu, self.wall = time.process_time(), time.perf_counter()


_CELL = "cell.pickle"


def _answers(folder: Path) -> dict[str, Any]:
    """Return what answers in the place of :func:`remote.begin` and :func:`remote.go_on`."""
    place = str(folder / _CELL)
    return {"begin": partial(_begin, place), "go_on": partial(_go_on, place)}


def _begin(place: str, order: Order, parcel: Parcel, table: remote.Table) -> Report:
    return _answered(place, (order.study, order.run), parcel)


def _go_on(place: str, order: Order, requests: object) -> Report:
    return _answered(place, (order.study, order.run), None)


_WHOLE: dict[str, Parcel] = {}
_REPORTED: dict[tuple[str, int], int] = {}


def _answered(place: str, cell: tuple[str, int], asked: Parcel | None) -> Report:
    """Return a cell's next report at once.

    Parameters
    ----------
    place : str
        The file of the real cell.
    cell : tuple
        Which one it is.
    asked : Parcel or None
        What it shall be, at its beginning.
    """
    if place not in _WHOLE:
        _WHOLE[place] = pickle.loads(Path(place).read_bytes())  # noqa: S301 - ours, of this moment
    whole = _WHOLE[place]
    number = _REPORTED.get(cell, 0)
    _REPORTED[cell] = number + 1
    each = len(whole.trials) // REPORTS
    last = number + 1 == REPORTS
    settings: Mapping[str, Any] | None = None
    if asked is not None and whole.settings is not None:
        decided = {key: whole.settings[key] for key in ("metric", "source")}
        settings = {**(asked.settings or {}), **decided}
    result = None
    if last and whole.result is not None:
        # (Errors that differ, so that there is something to rank.)
        error = whole.result["test_error_ensemble"] + 1e-4 * (cell[1] * 7919 % 101)
        result = {**whole.result, "test_error_ensemble": error}
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
    return Report(part, "finished" if last else "")


class _Here(lanes.ClusterLanes):
    """Workers that answer within this process: what Dask would take is left out."""

    def __init__(self, document: Document, folder: Path) -> None:
        self._answer = _answers(folder)
        super().__init__(document, "local:1")

    def _look(self) -> None:
        self._threads = {"simulated": WORKERS}
        self._looked = float("inf")

    def _table(self, run_id: int) -> Any:
        return None

    def _send(self, run_id: int, task: Any, *arguments: Any) -> None:
        cell = self._cells[run_id]
        cell.future = _Answer(self._answer[task.__name__](*arguments))
        self._answered.put((run_id, cell.future))

    def _reports(self, futures: dict[int, Any]) -> dict[int, Report]:
        return {run_id: each.report for run_id, each in futures.items()}


class _Answer:
    def __init__(self, report: Report) -> None:
        self.report = report


@contextmanager
def _dask(folder: Path) -> Iterator[str]:
    """Yield the address of a scheduler with one worker of a thousand threads."""
    told = folder / "scheduler.json"
    common = ("--no-dashboard",)
    scheduler = _process(folder, _SCHEDULER, "--host", "127.0.0.1", "--port", "0",
                         "--scheduler-file", str(told), *common)  # fmt: skip
    started = [scheduler]
    try:
        while not (told.exists() and told.read_text(encoding="utf-8").strip().endswith("}")):
            assert scheduler.poll() is None, "the scheduler did not start"
            time.sleep(0.05)
        address = str(json.loads(told.read_text(encoding="utf-8"))["address"])
        started.append(
            _process(folder, _WORKER, address, "--nthreads", str(WORKERS), "--no-nanny",
                     "--memory-limit", "0", "--local-directory", str(folder), *common)
        )  # fmt: skip
        yield address
    finally:
        for process in started:
            process.kill()
            process.wait()


def _process(folder: Path, code: str, *arguments: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        code_command(code, *arguments),
        cwd=folder,
        env=surroundings(PYTHONWARNINGS="ignore"),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def _read(path: Path) -> dict[str, float | None]:
    """Measure CPU seconds of what the Compare page asks for a finished study.

    Returns
    -------
    dict
        ``file_gb``; ``open_s`` for opening the document with its checks, ``grid_s`` for the grid,
        ``tables_s`` for the first tables, ``again_s`` for tables whose cells are known, and
        ``memory_mb``, the most that the process has taken.
    """
    import resource

    moments = [_Moment()]
    with Document.open(path, writable=False):
        moments.append(_Moment())
    study_grid(path)
    moments.append(_Moment())
    so_far = SoFar(path)
    for _ in range(2):
        so_far.read(thorough=False)
        moments.append(_Moment())
    spent = [after.cpu - before.cpu for before, after in pairwise(moments)]
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {
        "file_gb": path.stat().st_size / 1e9,
        **dict(zip(("open_s", "grid_s", "tables_s", "again_s"), spent, strict=True)),
        "memory_mb": memory / (2**20 if sys.platform == "darwin" else 2**10),
    }
