"""Cell workers of the coordinator whose cells are computed by a Dask cluster.

On the cluster's machines each cell has its own document, and its cell worker is the same process as
on one machine. Dask tasks only start the cell worker and fetch updates; each task ends after a few
seconds with a report, so that only the work since the last report is lost with a machine.
"""

import contextlib
import secrets
import threading
from collections import Counter, deque
from contextlib import ExitStack
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Any

from studio.arrays import AnyArray
from studio.awake_clock import read_awake_seconds
from studio.compare.cell_workers import CellWorkerReport, LocalCellWorkers
from studio.document.packages import RunPackage
from studio.document.runs import Request
from studio.document.store import Document
from studio.errors import DocumentError, RunError
from studio.phrases import phrase
from studio.runs.cluster.connection import (
    EXACT_VERSION_PACKAGES,
    LOST_WORKER_ERRORS,
    Connection,
    get_versions,
)
from studio.scratch import make_scratch_folder

ORPHAN_TIMEOUT = 120.0
"""Seconds without a report request after which a cell worker takes its coordinator for dead."""

TICK_SECONDS = 0.2
"""Interval at which a waiting report checks whether the study is over."""

Table = tuple[dict[str, Any], dict[str, AnyArray]]
"""A table's description and its columns, each shape (n_rows,)."""


@dataclass(frozen=True)
class CellSpec:
    """The specification of a cell's work.

    Attributes:
        study: Identifies the coordinator of the cells.
        seconds: Time until the report.
    """

    study: str
    run: int
    n_sharing_memory: int
    seconds: float


@dataclass(frozen=True)
class CellReport:
    """Updates of a cell; with a ``state`` (as in :class:`CellWorkerReport`) it has ended."""

    package: RunPackage | None
    state: str = ""
    message: str = ""


class _CellHost:
    """A running cell on this worker."""

    def __init__(self, spec: CellSpec, package: RunPackage, table: Table) -> None:
        self.leaving = threading.Event()
        self._spec = spec
        self._resources = ExitStack()
        self._timer: threading.Timer | None = None
        self._last_message_id = 0
        self._settings = package.settings if package.split else None
        try:
            folder = self._resources.enter_context(make_scratch_folder())
            self._path = folder / "cell.studio"
            with Document.create(self._path) as document:
                self._run = document.packages.unpack(package, document.tables.add(*table))
                self._trials = document.trials.count(self._run)
            self._cell_workers = self._resources.enter_context(
                LocalCellWorkers(self._path, 1, spec.n_sharing_memory)
            )
            self._cell_workers.start(self._run)
        except BaseException:
            self._resources.close()
            raise

    def report(self, seconds: float, requests: tuple[Request, ...]) -> CellReport:
        """Wait for ``seconds``, or until the cell has ended; return the updates."""
        if self._timer is not None:
            self._timer.cancel()
        with Document(self._path, writable=True, verify=False) as document:
            for each in requests:
                document.requests.post(self._run, each.kind, each.value)
            end_report = self._wait(seconds)
            package = self._make_package(document)
        if end_report is not None:
            return CellReport(package, end_report.state, end_report.message)
        self._timer = threading.Timer(ORPHAN_TIMEOUT, _close_host, (self._spec,))
        self._timer.daemon = True
        self._timer.start()
        return CellReport(package)

    def _wait(self, seconds: float) -> CellWorkerReport | None:
        deadline = read_awake_seconds() + seconds
        while not self.leaving.is_set() and (seconds_left := deadline - read_awake_seconds()) > 0:
            end_report = self._cell_workers.wait(min(seconds_left, TICK_SECONDS))
            if end_report is not None:
                return end_report
        if not self.leaving.is_set():
            return None
        self._cell_workers.close()
        return CellWorkerReport(0, self._run, "stopped")

    def _make_package(self, document: Document) -> RunPackage:
        row = document.runs.get(self._run)
        is_settled = row.settings == self._settings or not row.prepared
        package = document.packages.pack(
            self._run, after=self._trials, after_message=self._last_message_id, settled=is_settled
        )
        self._settings = row.settings if row.prepared else None
        self._trials += len(package.trials)
        if package.messages:
            self._last_message_id = package.messages[-1].id
        return package

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._resources.close()


_LOCK = threading.Lock()
_CELL_HOSTS: dict[tuple[str, int], _CellHost] = {}
"""Running cells of this Dask worker, by study and run."""

_STOPPED_STUDIES: set[str] = set()


def begin_cell(spec: CellSpec, package: RunPackage, table: Table) -> CellReport:
    """Start or resume a cell of the coordinator's study on its training table, and report."""
    if spec.study in _STOPPED_STUDIES:
        return CellReport(None, "stopped")
    _close_host(spec)
    host = _CellHost(spec, package, table)
    with _LOCK:
        _CELL_HOSTS[spec.study, spec.run] = host
    return _report_cell(spec, host, ())


def continue_cell(spec: CellSpec, requests: tuple[Request, ...]) -> CellReport:
    """Send the user's requests to a cell's run, and report its updates since the last report."""
    host = _CELL_HOSTS.get((spec.study, spec.run))
    return CellReport(None, "lost") if host is None else _report_cell(spec, host, requests)


def _report_cell(spec: CellSpec, host: _CellHost, requests: tuple[Request, ...]) -> CellReport:
    if spec.study in _STOPPED_STUDIES:
        host.leaving.set()
    report = host.report(spec.seconds, requests)
    if report.state:
        _close_host(spec)
    return report


def _close_host(spec: CellSpec) -> None:
    with _LOCK:
        host = _CELL_HOSTS.pop((spec.study, spec.run), None)
    if host is not None:
        host.close()


def stop_cells(study: str) -> None:
    """Stop all cells of a study on this Dask worker; each sends a last report."""
    with _LOCK:
        _STOPPED_STUDIES.add(study)
        for (each, _), host in _CELL_HOSTS.items():
            if each == study:
                host.leaving.set()


POLL_SECONDS = 1.0
"""Interval between checks of the list of workers, in seconds."""

MAX_REPORTS_PER_SECOND = 100
"""Maximum rate of reports of all cells together, to limit the coordinator's load."""

MIN_REPORT_INTERVAL = 1.0

STOP_TIMEOUT = 60.0


@dataclass
class _ClusterCell:
    """A run on a worker of the cluster, with its pending report."""

    spec: CellSpec
    worker: str
    future: Any = None


class ClusterCellWorkers:
    """One cell per thread of a cluster's workers, in place of :class:`LocalCellWorkers`.

    During the work, this process owns the document's runs and is the only one to write reports,
    several in one transaction.

    Args:
        address: Address of the scheduler, or ``local:N``.
        max_cells: Maximum number of simultaneous cells; ``None``: the capacity of the cluster.

    Raises:
        UsageError, RunError: As :class:`studio.runs.cluster.connection.Connection`.
    """

    def __init__(self, document: Document, address: str, max_cells: int | None = None) -> None:
        self._document = document
        self._max_cells = max_cells
        self._study_token = secrets.token_hex(8)
        self._cells: dict[int, _ClusterCell] = {}
        self._tables: dict[int, Any] = {}
        self._replies: SimpleQueue[tuple[int, Any]] = SimpleQueue()
        self._reports: deque[CellWorkerReport] = deque()
        self._rejected_workers: dict[str, str] = {}
        self._polled_at = 0.0
        self._connection = Connection(address, EXACT_VERSION_PACKAGES)
        self._client = self._connection.client
        self._threads: dict[str, int] = {}
        self._checked_workers: set[str] = set()
        self._update_workers()

    def __enter__(self) -> "ClusterCellWorkers":
        return self

    def __exit__(self, *_: object) -> None:
        """Stop all cells gracefully, as far as the cluster is reachable."""
        try:
            if self._cells and self._connection.is_alive:
                self._stop_workers()
        except RunError:
            pass  # Unreachable cells stop by themselves; reported results are in the document.
        finally:
            for run_id in list(self._cells):
                self._release_cell(run_id)
            self._connection.close()

    @property
    def count(self) -> int:
        """Number of cells that the current cluster can run in parallel."""
        n_threads = sum(self._threads.values())
        return n_threads if self._max_cells is None else min(self._max_cells, n_threads)

    def has_idle_worker(self) -> bool:
        """Whether another cell can start."""
        return len(self._cells) < self.count

    def is_busy(self) -> bool:
        """Whether any cell is running or has unreported results."""
        return bool(self._cells or self._reports)

    def start(self, run_id: int) -> None:
        """Assign a run to the worker with the most free threads."""
        cells_by_worker = Counter(cell.worker for cell in self._cells.values())
        worker = max(self._threads, key=lambda each: self._threads[each] - cells_by_worker[each])
        machine = _get_machine(worker)
        n_sharing_memory = sum(
            n for each, n in self._threads.items() if _get_machine(each) == machine
        )
        seconds = max(MIN_REPORT_INTERVAL, self.count / MAX_REPORTS_PER_SECOND)
        spec = CellSpec(self._study_token, run_id, n_sharing_memory, seconds)
        try:
            self._document.owners.claim(run_id)
            self._cells[run_id] = _ClusterCell(spec, worker)
            package, table = self._document.packages.pack(run_id), self._scatter_table(run_id)
        except DocumentError as error:
            self._end_cell(run_id, "failed", str(error))
            return
        self._submit(run_id, begin_cell, spec, package, table)

    def wait(self, seconds: float) -> CellWorkerReport | None:
        """Return the next report of a finished cell, ``None`` after ``seconds`` without one.

        Raises:
            RunError: If the cluster is unreachable, has had no workers for a minute, or has no
                suitable ones.
        """
        if read_awake_seconds() - self._polled_at > POLL_SECONDS:
            self._update_workers()
        if not self._reports:
            self._collect(seconds)
        return self._reports.popleft() if self._reports else None

    # ---- reports

    def _collect(self, seconds: float) -> None:
        """Wait for a report, and process all that have arrived."""
        try:
            finished_futures = [self._replies.get(timeout=seconds)]
        except Empty:
            return
        while not self._replies.empty():
            finished_futures.append(self._replies.get())
        # (Reports of a cell cancelled meanwhile are ignored.)
        pending_futures = {
            run_id: future
            for run_id, future in finished_futures
            if run_id in self._cells and self._cells[run_id].future is future
        }
        with self._document.run_transaction():
            for run_id, report in self._collect_reports(pending_futures).items():
                self._store_report(run_id, report)

    def _collect_reports(self, futures: dict[int, Any]) -> dict[int, CellReport]:
        finished_futures = {
            run_id: each for run_id, each in futures.items() if each.status == "finished"
        }
        reports: dict[int, CellReport] = {}
        # After an error, which may be of any one of them, each is asked alone.
        with contextlib.suppress(Exception), self._connection.translate_errors():
            reports = self._client.gather(finished_futures)
        for run_id in futures.keys() - reports:
            reports[run_id] = self._fetch_report(run_id, futures[run_id])
        return reports

    def _fetch_report(self, run_id: int, future: Any) -> CellReport:
        """Return the outcome of a single task, even if its worker is unusable."""
        if not self._connection.is_alive:
            self._connection.count_threads()
        try:
            cell_report: CellReport = future.result(timeout=STOP_TIMEOUT)
        except Exception as error:  # noqa: BLE001 - whatever it is, the worker could not do its part
            reason = f"{type(error).__name__}: {error}"
            if type(error).__name__ not in LOST_WORKER_ERRORS:
                self._rejected_workers[self._cells[run_id].worker] = reason
            return CellReport(None, "lost", reason)
        return cell_report

    def _store_report(self, run_id: int, report: CellReport) -> None:
        cell = self._cells[run_id]
        if report.package is not None:
            self._document.packages.add_updates(run_id, report.package)
        if report.state:
            self._end_cell(run_id, report.state, report.message)
        else:
            requests = tuple(self._document.requests.pop_all(run_id))
            self._submit(run_id, continue_cell, cell.spec, requests)

    def _end_cell(self, run_id: int, state: str, message: str = "") -> None:
        self._release_cell(run_id)
        if state == "lost":
            message = phrase("Its cluster worker was lost. {fault}", fault=message)
        self._reports.append(CellWorkerReport(0, run_id, state, message))

    def _release_cell(self, run_id: int) -> None:
        self._cells.pop(run_id, None)
        with contextlib.suppress(DocumentError):
            self._document.owners.release(run_id)

    def _stop_workers(self) -> None:
        with self._connection.translate_errors():
            self._client.run(stop_cells, self._study_token, on_error="ignore")
        deadline = read_awake_seconds() + STOP_TIMEOUT
        while self._cells and read_awake_seconds() < deadline:
            self._collect(POLL_SECONDS)
            self._update_workers()

    # ---- tasks

    def _submit(self, run_id: int, task: Any, *arguments: Any) -> None:
        cell = self._cells[run_id]
        with self._connection.translate_errors():
            cell.future = self._client.submit(
                task,
                *arguments,
                workers=[cell.worker],
                pure=False,
                key=f"studio-{self._study_token}-{run_id}-{secrets.token_hex(4)}",
            )
        cell.future.add_done_callback(lambda future: self._replies.put((run_id, future)))

    def _scatter_table(self, run_id: int) -> Any:
        """Return the run's table on the cluster, sent once and shared between workers."""
        table_id = self._document.runs.get(run_id).table_id
        assert table_id is not None, "a study's tables are loaded before its cells start"
        future_table = self._tables.get(table_id)
        if future_table is None or future_table.status != "finished":
            table = self._document.tables.read(table_id)
            # As a list, because Dask would send the elements of a mapping or a tuple separately.
            [future_table] = self._connection.scatter([table])
            self._tables[table_id] = future_table
        return future_table

    # ---- workers

    def _update_workers(self) -> None:
        """Update the list of workers, and find cells that have lost theirs."""
        threads_by_worker = self._connection.require_workers()
        self._polled_at = read_awake_seconds()
        known_workers = self._checked_workers | self._rejected_workers.keys()
        if new_workers := [each for each in threads_by_worker if each not in known_workers]:
            self._exclude_other_versions(new_workers)
        usable_workers = self._checked_workers - self._rejected_workers.keys()
        self._threads = {
            name: count for name, count in threads_by_worker.items() if name in usable_workers
        }
        if self._rejected_workers and threads_by_worker and not self._threads:
            raise RunError(
                "No cluster worker can run this comparison: {fault}. Everything so far is kept; "
                "check that all machines have this package with its dependencies, then continue.",
                fault=next(reversed(self._rejected_workers.values())),
            )
        for run_id, cell in list(self._cells.items()):
            if cell.worker not in threads_by_worker:
                self._end_cell(run_id, "lost")

    def _exclude_other_versions(self, workers: list[str]) -> None:
        """Exclude workers with other versions that joined after the start of the study."""
        versions_by_worker = self._connection.get_versions(EXACT_VERSION_PACKAGES, workers)
        local_versions = get_versions(EXACT_VERSION_PACKAGES)
        self._checked_workers |= versions_by_worker.keys()
        for worker, worker_versions in versions_by_worker.items():
            differing = [
                f"{name} {worker_versions[name]}"
                for name in EXACT_VERSION_PACKAGES
                if worker_versions[name] != local_versions[name]
            ]
            if differing:
                self._rejected_workers[worker] = ", ".join(differing)


def _get_machine(address: str) -> str:
    """Return the common part of the addresses of all workers of a machine."""
    return address.rpartition(":")[0]
