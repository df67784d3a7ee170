"""Conducting a study: all unfinished cells, several in parallel.

All state is in the document. The coordinator may be killed at any time; the next one skips finished
cells, and an interrupted run continues with the same results.
"""

import hashlib
import json
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from studio.compare import study_notes
from studio.compare.cell_workers import CellWorkerReport, LocalCellWorkers
from studio.compare.cells import StudyCell, add_fork, add_run, enumerate_cells, find_run
from studio.compare.coordinator import StudyHeartbeat
from studio.compare.datasets import MissingDatasetError, load_dataset
from studio.compare.methods import check_installed
from studio.compare.study import Study, get_common_spaces
from studio.compare.study_notes import Dataset, StudyMethod, get_dataset_name
from studio.document.store import Document
from studio.errors import DamagedError, DataError, SpaceError, StudioError, UsageError
from studio.phrases import join_phrases, join_quoted, phrase
from studio.runs.choices import SearchSettings
from studio.runs.compatible import check_values
from studio.runs.create import check_new_run
from studio.runs.limits import get_worker_count
from studio.system.available_resources import count_cores

if TYPE_CHECKING:
    from studio.compare.cluster_cells import ClusterCellWorkers


@dataclass(frozen=True)
class StudyStep:
    """A progress event of a study.

    Attributes:
        name: The cell (or data set).
        unit: "%" for errors that are shares.
    """

    name: str
    done: int
    total: int
    error: float | None = None
    unit: str = ""
    seconds: float = 0.0
    remaining_seconds: float | None = None
    message: str = ""


@dataclass
class StudyRunResult:
    """The outcome of conducting a study; runs are in the order of the grid."""

    runs: dict[int, StudyCell] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)
    is_stopped: bool = False


def _make_cell_workers(
    document: Document, max_cell_workers: int | None, cluster: str
) -> "LocalCellWorkers | ClusterCellWorkers":
    """Return a study's cell workers; ``None``: as many as the cluster's capacity allows."""
    if not cluster:
        assert max_cell_workers is not None, "this machine's cores are counted by who asks"
        return LocalCellWorkers(document.path, max_cell_workers)
    from studio.compare.cluster_cells import ClusterCellWorkers

    return ClusterCellWorkers(document, cluster, max_cell_workers)


def get_search_key(cell: StudyCell) -> str:
    """Return a key that is equal for cells with the same trials."""
    if cell.settings.seconds is not None:
        return cell.name  # searches with a time limit never progress equally
    try:
        method = cell.compose_method()
    except StudioError:
        return cell.name  # Invalid: it fails with a message at its start.
    settings = cell.settings.to_json()
    for name in ("method", "overrides"):
        del settings[name]
    key = json.dumps([cell.dataset.name, settings], sort_keys=True, default=str)
    return hashlib.sha256(f"{key} {method.proposer} {method.evaluation}".encode()).hexdigest()


WAIT_SECONDS = 0.2
"""Interval of checks for stop requests, and for runs computed by other processes."""

_MIN_REMAINING_SHARE = 0.1
"""Minimum remaining share of the time that a running cell has taken, without trials to go by."""

MAX_RETRIES = 1
"""Maximum number of retries of a cell whose process died without a new trial."""


def run_study(
    path: Path,
    study: Study,
    n_cell_workers: int | None,
    report: Callable[[StudyStep], None],
    stopping: Callable[[], bool] = lambda: False,
    *,
    cluster: str = "",
) -> StudyRunResult:
    """Work until each cell of the study has finished or failed.

    Args:
        path: The document; created if missing.
        n_cell_workers: Number of parallel cells, with one worker each, so it does not affect
            results. It is limited by the machine's capacity (:mod:`studio.runs.limits`). ``None``:
            one per core, or the cluster's capacity.
        stopping: Returns whether to stop, keeping all results; polled several times a second.
        cluster: The address of a Dask scheduler whose workers do the work, or ``local:N``; empty
            for this machine.

    Raises:
        SpaceError: If a space has invalid values or settings for its learners.
        UsageError: If the document contains equally named cells with other settings, an open cell
            needs a library that is not installed, or the cluster's address is invalid.
        DataError: If none of the data sets can be used.
        RunError: If the cluster cannot be reached, or is lost; all reported results are kept.
    """
    if n_cell_workers is not None and n_cell_workers < 1:
        raise UsageError(
            "At least one parallel run is needed; {lanes} was given.", lanes=n_cell_workers
        )
    SearchSettings(cluster=cluster).check()
    if not cluster:
        n_cell_workers = get_worker_count(n_cell_workers or count_cores())
    if not path.exists():
        check_installed(study.methods)
    with Document.open(path) if path.exists() else Document.create(path) as document:
        heartbeat = StudyHeartbeat(document, n_cell_workers or 1, cluster)
        coordinator = _Coordinator(document, study, heartbeat, report)
        try:
            coordinator.prepare()
            if coordinator.has_work:
                with _make_cell_workers(document, n_cell_workers, cluster) as cell_workers:
                    coordinator.assign_cells(
                        cell_workers, lambda: heartbeat.should_stop() or stopping()
                    )
            coordinator.conclude()
        except StudioError as error:
            heartbeat.report(stage="refused", message=str(error))
            raise
        heartbeat.report(stage="stopped" if coordinator.result.is_stopped else "ended")
        return coordinator.result


class _Coordinator:
    """One session of work on a study."""

    def __init__(
        self,
        document: Document,
        study: Study,
        heartbeat: StudyHeartbeat,
        report: Callable[[StudyStep], None],
    ) -> None:
        self._document = document
        self._study = study
        self._heartbeat = heartbeat
        self._n_cell_workers = 1
        self._report = report
        self._cells: Sequence[StudyCell] = ()
        self._search_keys: dict[str, str] = {}
        self._run_by_search: dict[str, int] = {}
        self._waiting: list[StudyCell] = []
        self._running: dict[int, StudyCell] = {}
        self._finished: dict[int, StudyCell] = {}
        self._seconds: dict[tuple[str, str], list[float]] = {}
        self._started: dict[int, tuple[float, int]] = {}
        """Start of each run by this study, and the number of its trials before."""
        self._losses_by_run: dict[int, tuple[int, int]] = {}
        self.result = StudyRunResult()

    def prepare(self) -> None:
        """Load the data and divide the cells into finished and open ones, or raise StudioError."""
        self._cells = enumerate_cells(self._study, self._load_datasets())
        self._search_keys = {cell.name: get_search_key(cell) for cell in self._cells}
        for cell in self._cells:
            run_id = find_run(self._document, cell)
            if run_id is None or not self._is_finished(run_id, cell):
                self._waiting.append(cell)
        check_installed(self._list_new_methods())
        required_spaces = {cell.space for cell in self._waiting}
        for space in get_common_spaces(self._study):
            if space is not None and space.name in required_spaces:
                check_values(space)
        # After all checks, so that a rejected study leaves the document unchanged.
        self._document.notes.set(study_notes.STUDY, self._study.to_json())
        self._reject_unsuitable_cells()

    def _list_new_methods(self) -> list[StudyMethod]:
        """Return the methods of open cells, without those of a study with results.

        The stored results of such a study can be read without a method's library.
        """
        methods = [cell.method for cell in self._waiting]
        stored_study = study_notes.load_stored_study(self._document) if self._finished else None
        known_names = {each.name for each in stored_study.methods} if stored_study else set()
        return [each for each in methods if each.name not in known_names]

    def _reject_unsuitable_cells(self) -> None:
        """Record failures known before any run, so that the number of runs does not change."""
        rejections: dict[tuple[str, str, str], str] = {}
        for cell in [each for each in self._waiting if find_run(self._document, each) is None]:
            key = cell.dataset.name, cell.method.name, cell.space
            if key not in rejections:
                rejections[key] = ""
                try:
                    check_new_run(cell.settings)
                except (UsageError, SpaceError) as error:
                    rejections[key] = str(error)
            if rejections[key]:
                self._waiting.remove(cell)
                self._record_failure(cell.name, rejections[key])

    def _load_datasets(self) -> list[Dataset]:
        datasets, missing_datasets = [], []
        for entry in self._study.data:
            self._heartbeat.report(reading=get_dataset_name(entry))
            try:
                datasets.append(load_dataset(self._document, self._study, entry))
            except (DataError, UsageError) as error:
                self._record_failure(get_dataset_name(entry), str(error))
                missing_datasets += [entry] if isinstance(error, MissingDatasetError) else []
        if self._study.data and len(missing_datasets) == len(self._study.data):
            raise DataError(
                "The folder {folder} has none of the study's data sets ({names}). Give the folder "
                "of their tables with --data.",
                folder=self._study.folder or self._document.path.parent,
                names=join_quoted(missing_datasets),
            )
        if not datasets:
            unusable = phrase("None of the study's data sets can be used.")
            raise DataError(join_phrases((unusable, *self.result.failures.values())))
        return datasets

    @property
    def has_work(self) -> bool:
        return bool(self._waiting)

    def assign_cells(
        self, cell_workers: "LocalCellWorkers | ClusterCellWorkers", stopping: Callable[[], bool]
    ) -> None:
        self._n_cell_workers = max(1, cell_workers.count)
        self._report_state(stage="working", reading="")
        while self._waiting or cell_workers.is_busy():
            if stopping():
                self.result.is_stopped = True
                break
            self._n_cell_workers = max(1, cell_workers.count)
            if self._heartbeat.is_due:
                self._report_state()
            while cell_workers.has_idle_worker() and (run_id := self._get_next_run()) is not None:
                cell_workers.start(run_id)
            worker_report = cell_workers.wait(WAIT_SECONDS)
            if worker_report is not None:
                self._on_run_end(worker_report)

    def _report_state(self, **values: Any) -> None:
        remaining_seconds = self._estimate_remaining_seconds()
        self._heartbeat.report(
            lanes=self._n_cell_workers, remaining_seconds=remaining_seconds, **values
        )

    def conclude(self) -> None:
        """Report the finished cells, in the order of the grid."""
        by_name = {cell.name: run_id for run_id, cell in self._finished.items()}
        self.result.runs = {
            by_name[cell.name]: cell for cell in self._cells if cell.name in by_name
        }

    def _get_next_run(self) -> int | None:
        """Return a run to start now, of the first waiting cell without another process."""
        running_keys = {self._search_keys[cell.name] for cell in self._running.values()}
        for cell in list(self._waiting):
            try:
                run_id = find_run(self._document, cell)
                if run_id is None and self._search_keys[cell.name] in running_keys:
                    continue  # This cell will copy the trials of the cell that computes them.
                run_id = run_id or self._add_run(cell)
                is_finished = self._is_finished(run_id, cell)
            except (UsageError, SpaceError, DamagedError) as error:
                self._waiting.remove(cell)
                self._record_failure(cell.name, str(error))
                continue
            if is_finished:
                self._waiting.remove(cell)
                self._report_cell(cell, run_id)
            elif not self._document.owners.is_alive(run_id):
                self._waiting.remove(cell)
                n_trials = self._document.trials.count(run_id)
                self._running[run_id] = cell
                self._started[run_id] = time.monotonic(), n_trials
                return run_id
        return None

    def _add_run(self, cell: StudyCell) -> int:
        """Add a cell's run, with the trials of a finished cell with an identical search."""
        equal_run = self._run_by_search.get(self._search_keys[cell.name])
        if equal_run is not None:
            with suppress(DamagedError):
                trials = self._document.trials.list_all(equal_run)
                n_searched = sum(not trial.concluding for trial in trials)
                return add_fork(self._document, cell, equal_run, n_searched)
        return add_run(self._document, cell)

    def _is_finished(self, run_id: int, cell: StudyCell) -> bool:
        row = self._document.runs.get(run_id)
        if row.state != "finished" or row.result is None:
            return False
        self._finished[run_id] = cell
        self._run_by_search.setdefault(self._search_keys[cell.name], run_id)
        for key in _list_similar(cell):
            self._seconds.setdefault(key, []).append(row.result.seconds)
        return True

    def _on_run_end(self, worker_report: CellWorkerReport) -> None:
        cell = self._running.pop(worker_report.run)
        if self._is_finished(worker_report.run, cell):
            self._report_cell(cell, worker_report.run)
        elif self._document.owners.is_alive(worker_report.run):
            # Another process claimed the run first (the engine of a window or of a killed study).
            self._waiting.append(cell)
        elif worker_report.state == "lost" and self._should_retry(worker_report.run):
            self._waiting.insert(0, cell)
        else:
            stopped_message = phrase("It was stopped; run the study again to continue it.")
            self._record_failure(cell.name, worker_report.message or stopped_message)

    def _should_retry(self, run_id: int) -> bool:
        """Whether to retry a lost cell; the cell itself may have crashed the process."""
        trials = self._document.trials.count(run_id)
        trials_before, losses_before = self._losses_by_run.get(run_id, (-1, 0))
        losses = 1 if trials_before < trials else losses_before + 1
        self._losses_by_run[run_id] = (trials, losses)
        return losses <= MAX_RETRIES

    def _record_failure(self, name: str, message: str) -> None:
        self.result.failures[name] = message
        self._heartbeat.report(failures=dict(self.result.failures))
        self._report_step(name, message=message)

    def _report_cell(self, cell: StudyCell, run_id: int) -> None:
        result = self._document.runs.get(run_id).result
        assert result is not None, "the cell is finished"
        self._report_step(
            cell.name, error=result.test_error_ensemble, unit=result.unit, seconds=result.seconds
        )

    def _report_step(self, name: str, **values: Any) -> None:
        n_finished = len(self._cells) - len(self._waiting) - len(self._running)
        remaining = self._estimate_remaining_seconds()
        self._report(
            StudyStep(name, n_finished, len(self._cells), remaining_seconds=remaining, **values)
        )

    def _estimate_remaining_seconds(self) -> float | None:
        """Estimate the remaining time, none for copies; ``None`` without a finished cell."""
        if not self._seconds:
            return None
        total, counted_searches = 0.0, set(self._run_by_search)
        run_ids = {cell.name: run_id for run_id, cell in self._running.items()}
        for cell in (*self._running.values(), *self._waiting):
            search = self._search_keys[cell.name]
            if search not in counted_searches:
                similar_cells = (self._seconds.get(key) for key in _list_similar(cell))
                seconds = next(each for each in similar_cells if each)
                mean = sum(seconds) / len(seconds)
                run_id = run_ids.get(cell.name)
                total += mean if run_id is None else self._estimate_rest(run_id, mean)
            counted_searches.add(search)
        return total / self._n_cell_workers

    def _estimate_rest(self, run_id: int, similar_seconds: float) -> float:
        """Estimate the remaining seconds of a running cell, by its own trials if there are any."""
        started, n_before = self._started[run_id]
        elapsed, budget = time.monotonic() - started, self._study.budget
        n_trials = self._document.trials.count(run_id)
        if budget is not None and n_trials > n_before:
            return elapsed * max(0, budget - n_trials) / (n_trials - n_before)
        # A cell that takes longer than similar ones takes some time yet.
        return max(similar_seconds - elapsed, _MIN_REMAINING_SHARE * elapsed)


def _list_similar(cell: StudyCell) -> tuple[tuple[str, str], ...]:
    """Return data set and method of the cells whose time is like a cell's; empty for any."""
    dataset, method = cell.dataset.name, cell.method.name
    return (dataset, method), (dataset, ""), ("", method), ("", "")
