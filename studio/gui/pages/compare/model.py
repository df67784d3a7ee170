"""Model of the open document's study: settings, coordinator, results."""

import subprocess
from collections.abc import Mapping
from dataclasses import asdict, replace
from time import monotonic
from typing import Any, NamedTuple

from PySide6.QtCore import QObject, QTimer, Signal

from studio.compare import study_notes
from studio.compare.answers import GridRow, InterimResults, StudyGrid
from studio.compare.choices import ComputeResources
from studio.compare.coordinator import CoordinatorState, request_stop, start_coordinator
from studio.compare.coordinator import load_coordinator as last_coordinator
from studio.errors import StudioError
from studio.gui.pages.compare.grid_view import GridView, make_grid_view
from studio.gui.plots.base.helper_requests import Helper, HelperRequesterFactory, Query
from studio.gui.session.run_view import RunView
from studio.gui.session.session import Session
from studio.gui.widgets.cluster_question import confirm_cluster
from studio.helper.computations import compute_study_results, load_study_grid, store_study
from studio.language import tr, translate

POLL_MILLISECONDS = 500
MIN_RESULTS_INTERVAL = 1.0
"""Minimum interval in seconds between computations of the statistics during a study,"""

PAUSE_FACTOR = 5.0
"""and minimum pause as a multiple of their duration, so that the study keeps its cores."""


class ResultsVersion(NamedTuple):
    """What results depend on: study, finished runs, omissions, and whether the study has ended."""

    study: str
    finished_runs: frozenset[int]
    excluded: tuple[str, ...]
    has_ended: bool


def _confirm_cluster(resources: ComputeResources) -> ComputeResources | None:
    """Return the cluster confirmed by the user; ``None`` for none."""
    cluster = confirm_cluster(resources.cluster)
    return None if cluster is None else replace(resources, cluster=cluster)


class StudyModel(QObject):
    """Follows the open document's study, starts and stops its coordinator."""

    changed = Signal()
    """The study, its grid or its coordinator has changed."""

    results_changed = Signal()
    failed = Signal(str)

    def __init__(self, session: Session, helper: Helper, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session, self._helper = session, helper
        self.study: study_notes.StudyJson | None = None
        self.coordinator: CoordinatorState | None = None
        self.grid = GridView()
        self.results = InterimResults()
        self.problem = ""
        self._rows: tuple[GridRow, ...] = ()
        self._process: subprocess.Popen[bytes] | None = None
        self._resources = ComputeResources(1)
        self._restart_when_stopped = self._stopping = self._is_watched = False
        self._is_dirty = True
        self._requested_at = self._last_duration = 0.0
        self._requested_version: tuple[ResultsVersion, bool] | None = None
        self._evaluated_version: ResultsVersion | None = None
        self.is_alive = False
        """Whether a coordinator is working on the study, or starting."""
        requesters = HelperRequesterFactory(helper, "compare")
        failed = self._report_failure
        self._grid_requester = requesters(load_study_grid, self._on_grid, failed)
        self._results_requester = requesters(
            compute_study_results, self._on_results, self._on_results_error
        )
        self._timer = QTimer(self, interval=POLL_MILLISECONDS)
        self._timer.timeout.connect(self.poll)
        session.document_changed.connect(self._on_document_change)
        session.runs.changed.connect(self._mark_dirty)
        session.runs.trials_added.connect(lambda _: self._mark_dirty())
        self._on_document_change()

    # ---- state

    @property
    def is_stopping(self) -> bool:
        """Whether the coordinator was asked to stop and is still running."""
        return self.is_alive and self._stopping

    @property
    def can_continue(self) -> bool:
        """Whether runs are missing, once everything is read, or the study was rejected."""
        if self.study is None or self.is_alive:
            return False
        if self.coordinator is not None and self.coordinator.stage == "refused":
            return True
        run_ids = {run for row in self._rows for runs in row.runs for run in runs} - {None}
        runs = self._session.runs
        is_read = run_ids <= {*runs.ids, *runs.damaged_runs}
        is_read = is_read and not self._grid_requester.is_pending
        grid = self.grid
        return is_read and (not grid.rows or grid.count("finished") < grid.n_planned_runs)

    @property
    def failures(self) -> Mapping[str, str]:
        """Skipped data sets and cells, with the reason (English)."""
        return {} if self.coordinator is None else self.coordinator.failures

    @property
    def unusable_data_sets(self) -> frozenset[str]:
        """Names of unusable data sets, for example with another target."""
        return frozenset(row.name for row in self._rows if row.exclusion_reason)

    @property
    def has_read_tables(self) -> bool:
        """Whether all tables have been read, so that the number of runs is known."""
        return bool(self._rows) and all(row.task or row.exclusion_reason for row in self._rows)

    @property
    def resources(self) -> ComputeResources:
        """The compute resources of the current or last session of the study."""
        last = self.coordinator
        return self._resources if last is None else ComputeResources(last.lanes, last.cluster)

    @property
    def is_outdated(self) -> bool:
        """Whether the results belong to other finished runs, or another study, than the grid."""
        return bool(self.results.finished) and self._evaluated_version != self._results_version

    @property
    def is_comparing(self) -> bool:
        """Whether results that are not shown yet are due; false after an error."""
        is_first = not self.results.finished and self.grid.count("finished") > 0
        return (is_first or self.is_outdated) and not self.problem

    @property
    def _results_version(self) -> ResultsVersion:
        """What current results depend on."""
        has_ended = self.coordinator is not None and self.coordinator.stage == "ended"
        return ResultsVersion(
            repr(self.study), self.grid.list_finished_runs(), tuple(self.failures), has_ended
        )

    @property
    def longest_run(self) -> tuple[float, int]:
        """The seconds of the longest finished run and its number of trials; 0 without any."""
        views = filter(None, map(self._find_view, self.grid.list_finished_runs()))
        return max(((view.total_seconds, len(view.trials)) for view in views), default=(0.0, 0))

    def set_watched(self, is_visible: bool) -> None:
        """Set whether the page is visible; the statistics are only computed while it is."""
        self._is_watched = is_visible
        if is_visible:
            self.poll()

    # ---- following

    def poll(self) -> None:
        """Read changes of the document; this takes under a millisecond if there are none."""
        if not self._session.is_open:
            return
        try:
            is_working = self._process is not None and self._process.poll() is None
            study = self._session.read(study_notes.load_stored_study)
            coordinator = None if study is None else self._session.read(last_coordinator)
        except StudioError as error:
            self._report_failure(translate(str(error)))
            return
        if not is_working:  # checked before reading, so that the last state was read
            self._process = None
        is_alive = is_working or (coordinator is not None and coordinator.is_alive)
        if self.is_alive and not is_alive:
            self._session.following.poll()  # the runs that it finished last
        previous = (self.study, self.coordinator, self.is_alive)
        self._is_dirty |= (study, coordinator, is_alive) != previous
        self.study, self.coordinator, self.is_alive = study, coordinator, is_alive
        if not is_alive:
            self._stopping = False
            if self._restart_when_stopped:
                self._restart_when_stopped = False
                self.resume(self._resources)
                return
        if study is not None:
            self._request_grid()
        if self._is_dirty:
            self._rebuild_view()

    def _request_grid(self) -> None:
        path = str(self._session.path)
        runs = self._session.runs.ids
        coordinator = self.coordinator
        stage = None if coordinator is None else (coordinator.stage, coordinator.reading)
        state = (repr(self.study), len(runs), max(runs, default=0), stage, len(self.failures))
        self._grid_requester.submit(Query({"document": path}, path, state))
        self._request_results(path)

    def _request_results(self, path: str) -> None:
        if self.grid.rows and not self.grid.count("finished") and self.results.finished:
            self._forget_results()  # all runs were removed
            self.results_changed.emit()
        if not self._is_watched or not self.grid.count("finished"):
            return
        is_first = self.results.finished == 0
        version = (self._results_version, is_first)
        now = monotonic()
        # First compute a part for a quick display, and later everything, rarely enough to spare the
        # cores.
        pause = max(MIN_RESULTS_INTERVAL, PAUSE_FACTOR * self._last_duration)
        is_early = not is_first and self.is_alive and now - self._requested_at < pause
        if version == self._requested_version or is_early:
            return
        self._requested_at, self._requested_version = now, version
        arguments = {"document": path, "thorough": not is_first}
        self._results_requester.submit(Query(arguments, path, version))

    def _on_grid(self, _: Query, grid: StudyGrid) -> None:
        self._rows = grid.rows
        self._rebuild_view()

    def _on_results(self, query: Query, results: InterimResults) -> None:
        if query.scope != str(self._session.path):
            return
        if self.results.finished:
            # The first reply is not measured, as it included the helper's imports.
            self._last_duration = monotonic() - self._requested_at
        assert isinstance(query.version, tuple)
        self.results, self._evaluated_version = results, query.version[0]
        self.problem = ""
        self._rebuild_view()  # with as many digits as the results
        self.results_changed.emit()

    def _on_results_error(self, message: str) -> None:
        self.problem = translate(message)
        self.results_changed.emit()

    def _forget_results(self) -> None:
        self._results_requester.clear()
        self.results, self.problem = InterimResults(), ""
        self._requested_version = self._evaluated_version = None
        self._last_duration = 0.0

    def _rebuild_view(self) -> None:
        self._is_dirty = False
        methods = [] if self.study is None else [each.name for each in self.study.methods]
        rows = [row for row in self._rows if len(row.runs) == len(methods)]
        self.grid = make_grid_view(methods, rows, self._find_view, self.results.error_formats)
        self.changed.emit()

    def _find_view(self, run_id: int) -> RunView | None:
        return self._session.runs.get_view(run_id) if run_id in self._session.runs.ids else None

    def _mark_dirty(self) -> None:
        self._is_dirty = True

    def _on_document_change(self) -> None:
        self._grid_requester.clear()
        self._forget_results()
        self.study = self.coordinator = self._process = None
        self._rows, self.grid = (), GridView()
        self._restart_when_stopped = self._stopping = self.is_alive = False
        self._is_dirty = True
        if self._session.is_open:
            self._timer.start()
        else:
            self._timer.stop()
        self.poll()
        self.results_changed.emit()

    def _report_failure(self, message: str) -> None:
        self._mark_dirty()
        self.failed.emit(translate(message))

    # ---- actions

    def start_study(self, study: Mapping[str, Any], resources: ComputeResources) -> None:
        """Store a study in the open document and start it; :attr:`failed` on errors."""
        confirmed = _confirm_cluster(resources)
        if confirmed is not None:
            self._resources = confirmed
            path = str(self._session.path)
            self._helper.request(
                store_study,
                {"path": path, "study_json": dict(study)},
                lambda _: self._on_study_stored(path, confirmed),
                self._report_failure,
            )

    def _on_study_stored(self, path: str, resources: ComputeResources) -> None:
        if path != str(self._session.path):
            return
        if self.is_alive:
            # The running coordinator has read only the original study.
            self._restart_when_stopped, self._resources = True, resources
            self._request_stop()
        else:
            self.resume(resources)
        self.poll()

    def resume(self, resources: ComputeResources | None = None) -> None:
        """Start a coordinator for the unfinished cells, by default on the previous resources."""
        if self.is_alive or self._session.path is None:
            return
        confirmed = _confirm_cluster(resources or self.resources)
        if confirmed is None:
            return
        self._resources = confirmed
        self._session.stop_playing()
        try:
            self._process = start_coordinator(self._session.path, confirmed)
        except OSError as error:
            reason = translate(str(error))
            self.failed.emit(tr("The comparison could not be started: {reason}", reason=reason))
            return
        self.poll()

    def stop(self) -> None:
        """Ask the coordinator to stop; results are kept."""
        self._restart_when_stopped = False
        self._request_stop()

    def extend(self, **changes: Any) -> None:
        """Extend the study by new cells only; :attr:`failed` gives reasons for rejection."""
        if self.study is not None and self._session.path is not None:
            self.start_study(asdict(replace(self.study, **changes)), self.resources)

    def _request_stop(self) -> None:
        try:
            request_stop(self._session.document)
        except StudioError as error:
            self._report_failure(translate(str(error)))
            return
        self._stopping = True
        self.changed.emit()
