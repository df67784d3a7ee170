"""Control of runs: starts engines, sends requests through the document."""

import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from studio.children import start_engine
from studio.compare.study_notes import check_not_compared
from studio.document.follow import Playback
from studio.document.runs import RequestKind
from studio.document.store import Document
from studio.errors import StudioError
from studio.gui.session.run_view import RunView
from studio.gui.session.runs import DocumentFollower, RunViews
from studio.gui.widgets.cluster_question import confirm_cluster, is_confirmed
from studio.language import tr, translate
from studio.runs.requests import change_settings
from studio.system.files import find_mount_point

ENGINE_POLL_MS = 1000
"""Interval between checks of engines, as a killed engine sends no report."""

_MIN_FREE_BYTES = 1 << 20
"""Free disk space in bytes below which an engine could not record why it ended."""

_MINUTE = 60.0


class RunControl(QObject):
    """Starts engines, sends requests to them, and detects unexpected ends.

    It owns no run: engines continue when the window is closed, and engines started elsewhere
    receive the same requests.

    Args:
        follower: Determines whether a run is a recording; reads the changes of a request
            immediately.

    Signals:
        starting: An engine is about to be started, which ends a playback.
        failed: A request could not be stored, or a run could not continue; the text gives the
            reason and a remedy.
    """

    starting = Signal()
    failed = Signal(str)

    def __init__(
        self, runs: RunViews, follower: DocumentFollower, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._runs, self._follower = runs, follower
        self._open_document: Document | None = None
        # The key includes the document, as engines continue when another document is opened.
        self._engines: dict[tuple[Path, int], subprocess.Popen[bytes]] = {}
        self._unanswered_requests: set[int] = set()
        self._timer = QTimer(self, interval=ENGINE_POLL_MS)
        self._timer.timeout.connect(self.detect_dead_engines)
        runs.state_changed.connect(self._on_state_change)

    def attach(self, document: Document) -> None:
        """Attach to the runs of a newly opened document."""
        self._open_document = document
        self._timer.start()

    def detach(self) -> None:
        """Detach from the document; its engines continue."""
        self._timer.stop()
        self._open_document = None
        self._unanswered_requests.clear()

    def take_over(self, other: "RunControl") -> None:
        """Adopt the engines started by another window."""
        self._engines.update(other._engines)

    def start(self, run_id: int) -> None:
        """Start or resume a run's process; raise DocumentError if read-only, OSError on failure."""
        # Without disk space, the engine cannot report that in the document either.
        self._document.check_writable()

        self.starting.emit()
        path = self._document.path
        # An engine rejects an address that the user has not confirmed.
        address = str(self._document.runs.get(run_id).settings.get("cluster", ""))
        cluster = address if is_confirmed(address) else ""
        self._engines[path, run_id] = start_engine(path, run_id, cluster)
        if run_id in self._runs.ids:
            self._runs.get_view(run_id).is_alive = True
            self._runs.changed.emit()

    def is_alive(self, run_id: int) -> bool:
        """Whether an engine, started here or elsewhere, or a playback is running."""
        playback = self._follower.playback
        if playback is not None and playback.is_playing_run(run_id):
            return True
        key = self._document.path, run_id
        engine = self._engines.get(key)
        if engine is not None:
            if engine.poll() is None:
                return True
            del self._engines[key]
        return self._document.owners.is_alive(run_id)

    def send_request(
        self, run_id: int, request: RequestKind, value: int | Mapping[str, Any] | None = None
    ) -> None:
        """Send ``"pause"``, ``"continue"``, ``"stop"``, or ``"budget"`` to a run's engine.

        ``value`` is the new budget: the total number of trials, or the changed settings, without an
        engine also other limits.

        Without a live engine, "continue" starts one, and "stop" sets the run's state directly.
        """
        playback = self._follower.playback
        if playback is not None and playback.is_playing_run(run_id):
            self._control_playback(playback, request)
            return
        budget: dict[str, Any] | None = None
        if request == "budget":
            budget = dict(value) if isinstance(value, Mapping) else {"budget": value}
        try:
            if budget is not None:
                check_not_compared(self._document, self._document.runs.get(run_id))
            if self.is_alive(run_id):
                self._post(run_id, request, budget)
            elif request in {"continue", "budget"}:
                self._continue_run(run_id, budget or {})
            elif request == "stop":
                self._document.runs.set_state(run_id, "stopped")
        except (StudioError, OSError) as error:
            self.failed.emit(translate(str(error)))
        self._follower.poll()

    def _continue_run(self, run_id: int, changes: dict[str, Any]) -> None:
        """Start an engine for a run, if the user confirms its cluster."""
        address = str(self._document.runs.get(run_id).settings.get("cluster", ""))
        confirmed_address = confirm_cluster(address)
        if confirmed_address is None:
            return
        if confirmed_address != address:
            changes = {**changes, "cluster": confirmed_address}
        if changes:
            change_settings(self._document, run_id, changes)
        self.start(run_id)
        self._set_pending_request(run_id, "continue")  # the engine takes seconds to start

    def detect_dead_engines(self) -> None:
        """Detect engines that ended silently, or without handling a request."""
        self._retry_requests()
        changed, ended = False, []
        for run_id in self._runs.ids:
            view = self._runs.get_view(run_id)
            if not view.has_ended or view.pending_request:
                alive = self.is_alive(run_id)
                changed |= alive != view.is_alive
                if view.is_alive and not alive:
                    ended.append(view.name)
                view.is_alive = alive
                view.pending_request = view.pending_request if alive else ""
        if changed:
            self._runs.changed.emit()
        if ended:
            self._explain_full_disk(ended[0])

    def _explain_full_disk(self, name: str) -> None:
        """Explain an engine's end without a message, if the disk is full."""
        path = self._document.path
        try:
            free_bytes = shutil.disk_usage(path.parent).free
        except OSError:
            return  # the folder is missing, which the document's watcher reports
        if free_bytes < _MIN_FREE_BYTES:
            text = tr(
                "{name} could not continue: there is no space left on the disk {disk}. Free some "
                "space there, then continue it; finished work is kept.",
                name=name,
                disk=find_mount_point(path),
            )
            self.failed.emit(text)

    @property
    def _document(self) -> Document:
        assert self._open_document is not None, "no document is open"
        return self._open_document

    def _control_playback(self, playback: Playback, request: RequestKind) -> None:
        if request == "stop":
            playback.skip()
        else:
            self._follower.set_paused(request == "pause")

    def _post(self, run_id: int, request: RequestKind, budget: dict[str, Any] | None) -> None:
        """Post a request to the run's engine through the document."""
        self._document.requests.post(run_id, request, budget)
        if request in {"continue", "budget"}:
            self._unanswered_requests.add(run_id)  # the engine may be ending and miss it
        else:
            self._unanswered_requests.discard(run_id)
        if request != "budget":
            self._set_pending_request(run_id, request)

    def _set_pending_request(self, run_id: int, request: RequestKind) -> None:
        if run_id in self._runs.ids:
            self._runs.get_view(run_id).pending_request = request
            self._runs.changed.emit()

    def _retry_requests(self) -> None:
        """Restart runs whose engine ended although it was requested to continue."""
        for run_id in sorted(self._unanswered_requests):
            if run_id not in self._runs.ids:
                self._unanswered_requests.discard(run_id)
            elif not self.is_alive(run_id):
                self._unanswered_requests.discard(run_id)
                self.send_request(run_id, "continue")
            elif self._is_request_fulfilled(run_id):
                self._unanswered_requests.discard(run_id)

    def _is_request_fulfilled(self, run_id: int) -> bool:
        is_running = self._runs.get_view(run_id).row.state == "running"
        return is_running and not self._document.requests.has_any(run_id)

    def _on_state_change(self, run_id: int, previous_state: str) -> None:
        """Treat a run's new state as the response to a request, or repeat the request."""
        if run_id not in self._runs.ids:
            return
        view = self._runs.get_view(run_id)
        request, view.pending_request = view.pending_request, ""
        has_begun = previous_state == "waiting" and view.row.state == "running"
        if has_begun and request in {"stop", "pause"}:
            self.send_request(run_id, "stop" if request == "stop" else "pause")


def increase_budget(view: RunView, n_models: int) -> dict[str, Any]:
    """Return settings for ``n_models`` further trials, without a used-up time limit.

    They follow the trials so far of a run that has ended, whatever its budget was, and otherwise
    the trials that its budget still allows.
    """
    seconds = view.settings.seconds
    planned = view.n_budget_trials if view.has_ended else view.budget or 0
    budget = max(planned, view.n_budget_trials) + n_models
    used_up = seconds is not None and view.elapsed >= seconds
    return {"budget": budget, **({"seconds": None} if used_up or view.has_ended else {})}


def increase_time_limit(view: RunView, minutes: float) -> dict[str, Any]:
    """Return settings with only a time limit, increased by ``minutes``; trials are open."""
    seconds = view.settings.seconds
    seconds_used = max(view.elapsed, 0.0 if view.has_ended or seconds is None else seconds)
    return {"budget": None, "seconds": seconds_used + _MINUTE * minutes}
