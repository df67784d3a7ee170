"""What runs on the cluster's machines: one lane for each cell, reporting again and again.

A cell has a document of its own there, and the lane that works on it is the same process as on one
machine. Dask's tasks only start it and fetch what is new; each ends after some seconds with a
report, so all that a lost machine costs is what followed the last one.
"""

import threading
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from studio.arrays import AnyArray
from studio.awake import awake_seconds
from studio.compare.lanes import Lanes, News
from studio.document.packages import RunPackage
from studio.document.requests import Request
from studio.document.store import Document
from studio.scratch import scratch_folder

FORGOTTEN_SECONDS = 120.0
"""A lane that nobody has asked for a report for so long stops: its conductor is gone."""

TICK_SECONDS = 0.2
"""How often a waiting report checks whether the study is over."""

Table = tuple[dict[str, Any], dict[str, AnyArray]]
"""A table's description and its columns, each shape (n_rows,)."""


@dataclass(frozen=True)
class CellOrder:
    """What is asked for a cell.

    Attributes:
        study: Distinguishes one conductor's cells from another's.
        run: The run in the conductor's document.
        at_once: How many cells share the machine's memory.
        seconds: After how long to report.
    """

    study: str
    run: int
    at_once: int
    seconds: float


@dataclass(frozen=True)
class Report:
    """What is new of a cell; with a ``state`` (that of :class:`News`) it has ended."""

    package: RunPackage | None
    state: str = ""
    message: str = ""


class _CellHost:
    """A cell that is worked on here."""

    def __init__(self, order: CellOrder, package: RunPackage, table: Table) -> None:
        self.leaving = threading.Event()
        self._order = order
        self._held = ExitStack()
        self._timer: threading.Timer | None = None
        self._after_message = 0
        self._settings = package.settings if package.split else None
        try:
            folder = self._held.enter_context(scratch_folder())
            self._path = folder / "cell.studio"
            with Document.create(self._path) as document:
                self._run = document.packages.unpack(package, document.tables.add(*table))
                self._trials = document.trials.count(self._run)
            self._lanes = self._held.enter_context(Lanes(self._path, 1, order.at_once))
            self._lanes.start(self._run)
        except BaseException:
            self._held.close()
            raise

    def report(self, seconds: float, requests: tuple[Request, ...]) -> Report:
        """Wait for this many seconds, or for the end; return what is new by then."""
        if self._timer is not None:
            self._timer.cancel()
        with Document(self._path, writable=True, verify=False) as document:
            for each in requests:
                document.requests.post(self._run, each.kind, each.value)
            news = self._wait(seconds)
            package = self._new(document)
        if news is not None:
            return Report(package, news.state, news.message)
        self._timer = threading.Timer(FORGOTTEN_SECONDS, _forget, (self._order,))
        self._timer.daemon = True
        self._timer.start()
        return Report(package)

    def _wait(self, seconds: float) -> News | None:
        until = awake_seconds() + seconds
        while not self.leaving.is_set() and (left := until - awake_seconds()) > 0:
            news = self._lanes.wait(min(left, TICK_SECONDS))
            if news is not None and news.state:
                return news
        if not self.leaving.is_set():
            return None
        self._lanes.close()
        return News(0, self._run, state="stopped")

    def _new(self, document: Document) -> RunPackage:
        row = document.runs.get(self._run)
        settled = row.settings == self._settings or not row.prepared
        package = document.packages.pack(
            self._run, after=self._trials, after_message=self._after_message, settled=settled
        )
        self._settings = row.settings if row.prepared else None
        self._trials += len(package.trials)
        self._after_message = package.messages[-1].id if package.messages else self._after_message
        return package

    def close(self) -> None:
        """Stop and leave nothing behind."""
        if self._timer is not None:
            self._timer.cancel()
        self._held.close()


_LOCK = threading.Lock()
_CELL_HOSTS: dict[tuple[str, int], _CellHost] = {}
"""Of this Dask worker, by study and run."""

_OVER: set[str] = set()
"""Studies whose conductor has stopped."""


def begin(order: CellOrder, package: RunPackage, table: Table) -> Report:
    """Start to work on a cell, or continue it, and report.

    Args:
        order: Which cell.
        package: The run as the conductor has it.
        table: What it trains on.
    """
    if order.study in _OVER:
        return Report(None, "stopped")
    _forget(order)
    host = _CellHost(order, package, table)
    with _LOCK:
        _CELL_HOSTS[order.study, order.run] = host
    return _reported(order, host, ())


def go_on(order: CellOrder, requests: tuple[Request, ...]) -> Report:
    """Report what is new of a cell since the last report.

    Args:
        order: Which cell.
        requests: What somebody has asked of its run meanwhile.
    """
    host = _CELL_HOSTS.get((order.study, order.run))
    return Report(None, "lost") if host is None else _reported(order, host, requests)


def _reported(order: CellOrder, host: _CellHost, requests: tuple[Request, ...]) -> Report:
    if order.study in _OVER:
        host.leaving.set()
    report = host.report(order.seconds, requests)
    if report.state:
        _forget(order)
    return report


def _forget(order: CellOrder) -> None:
    with _LOCK:
        host = _CELL_HOSTS.pop((order.study, order.run), None)
    if host is not None:
        host.close()


def leave(study: str) -> None:
    """Let every cell of a study on this Dask worker stop; its next report is the last."""
    with _LOCK:
        _OVER.add(study)
        for (each, _), host in _CELL_HOSTS.items():
            if each == study:
                host.leaving.set()
