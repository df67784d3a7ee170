"""Runs of the open document, read incrementally."""

from collections.abc import Callable, Collection

from PySide6.QtCore import QObject, QTimer, Signal

from studio.compare.study_notes import find_cell_runs
from studio.document.follow import ChangeReader, Changes, Playback
from studio.document.runs import DAMAGED_RUN_MESSAGE, RunRow
from studio.document.store import Document
from studio.errors import StudioError
from studio.gui.session.run_view import RunView
from studio.language import translate


class RunViews(QObject):
    """Views of all runs, updated as the document is read.

    Signals:
        changed: A run was added, hidden or removed, or one has changed apart from its trials: its
            row (state, message, result), workers, messages, or whether it is alive.
        trials_added: The run of this id has new trials or iterations.
        state_changed: The run of this id has left this state; emitted before :attr:`changed`.
        run_removed: The run of this id was hidden or removed; emitted before :attr:`changed`.
    """

    changed = Signal()
    trials_added = Signal(int)
    state_changed = Signal(int, str)
    run_removed = Signal(int)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._views: dict[int, RunView] = {}
        self._hidden: set[int] = set()
        self._study_runs: set[int] = set()
        self._unreadable: dict[int, str] = {}

    @property
    def damaged_runs(self) -> dict[int, str]:
        """Unreadable runs with the damaged part, without hidden ones."""
        return {
            each: reason for each, reason in self._unreadable.items() if each not in self._hidden
        }

    @property
    def views(self) -> list[RunView]:
        """All runs, oldest first, without hidden ones."""
        return [self._views[each] for each in sorted(self._views) if each not in self._hidden]

    @property
    def ids(self) -> Collection[int]:
        """The ids of all runs, including hidden ones."""
        return self._views.keys()

    def get_view(self, run_id: int) -> RunView:
        """Return the view of a run, hidden or not."""
        return self._views[run_id]

    def find_template(self) -> RunView | None:
        """Return the newest run set up for itself: neither a fork nor a comparison's cell."""
        views = (each for each in reversed(self.views) if each.row.id not in self._study_runs)
        return next((each for each in views if not each.settings.forked), None)

    def list_runs_with_same_table(self, run_id: int) -> list[RunView]:
        """Return the other runs with a run's table and target, newest first."""
        source = self._views[run_id].settings.source
        others = (each for each in reversed(self.views) if each.row.id != run_id)
        sources = ((each, each.settings.source) for each in others)
        key = (source.path, source.target)
        return [each for each, other in sources if (other.path, other.target) == key]

    @property
    def active(self) -> list[RunView]:
        """Runs with a working or starting engine (paused ones included)."""
        alive = (view for view in self.views if view.is_alive)
        return [view for view in alive if not view.has_ended or view.pending_request]

    @property
    def in_progress(self) -> list[RunView]:
        """Runs with a working engine that are not paused."""
        return [view for view in self.active if view.state != "paused"]

    @property
    def study_runs(self) -> frozenset[int]:
        """Cells of the document's study, possibly many, which the Compare page shows."""
        return frozenset(self._study_runs)

    def hide(self, run_id: int, hidden: bool) -> None:
        """Hide or restore a run; the document is unchanged."""
        if hidden == (run_id in self._hidden):
            return
        if hidden:
            self._hidden.add(run_id)
            self.run_removed.emit(run_id)
        else:
            self._hidden.discard(run_id)
        self.changed.emit()

    def clear(self) -> None:
        """Forget all runs, without signals."""
        self._views, self._hidden, self._study_runs, self._unreadable = {}, set(), set(), {}

    def apply_changes(self, changes: Changes, document: Document) -> None:
        """Adopt newly read data completely before emitting signals."""
        damaged_runs = dict(self._unreadable)
        previous_states = self._update_rows(_load_readable(changes, document), document)
        for damage in (*changes.damaged_records, *document.damaged_records):
            if damage.affects_whole_run and damage.run_id is not None:
                self._unreadable[damage.run_id] = damage.sentence
        removed_ids = set(document.get_removed_runs()) if self._unreadable else set()
        self._unreadable = {
            each: reason for each, reason in self._unreadable.items() if each not in removed_ids
        }
        removed = [each for each in changes.removed_run_ids if each in self._views]
        for run_id in removed:
            del self._views[run_id]
            self._hidden.discard(run_id)
            self._study_runs.discard(run_id)
        known_trials = [trial for trial in changes.trials if trial.run_id in self._views]
        for trial in known_trials:
            view = self._views[trial.run_id]
            view.trials.append(trial.trial)
            view.iterations.append(trial.iteration)
        for run_id, workers in changes.running.items():
            if run_id in self._views:
                self._views[run_id].adopt_running_jobs(workers)
        for message in changes.messages:
            if message.run_id in self._views:
                self._views[message.run_id].messages.append(message)
        for run_id in removed:
            self.run_removed.emit(run_id)
        for run_id, state in previous_states.items():
            self.state_changed.emit(run_id, state)
        has_news = changes.runs or changes.running or changes.messages or removed
        if has_news or damaged_runs != self._unreadable:
            self.changed.emit()
        for run_id in sorted({trial.run_id for trial in known_trials}):
            self.trials_added.emit(run_id)

    def _update_rows(self, read: tuple[RunView, ...], document: Document) -> dict[int, str]:
        """Update runs; return the previous states of changed ones by run id."""
        previous_states: dict[int, str] = {}
        fresh: list[RunRow] = []
        for new_row in read:
            row, view = new_row.row, self._views.get(new_row.row.id)
            if view is None:
                self._views[row.id] = new_row
                fresh.append(row)
                continue
            if view.row.state != row.state:
                previous_states[row.id] = view.row.state
            view.row = row
        self._study_runs |= find_cell_runs(document, fresh)
        return previous_states


def _load_readable(changes: Changes, document: Document) -> tuple[RunView, ...]:
    """Return the runs with readable settings; record the others as damaged.

    Fields of newer versions are ignored.
    """

    def is_intact(view: RunView) -> bool:
        read, message = document.read_or_record_damage, DAMAGED_RUN_MESSAGE
        return read(lambda: view.settings, view.row.id, message) is not None

    views = (RunView(row, is_played=changes.is_played) for row in changes.runs)
    return tuple(filter(is_intact, views))


_POLL_MS = 100

_CONTINUE_POLL_MS = 20
"""Interval after a poll that has not read everything, so that the window stays responsive."""


class DocumentFollower(QObject):
    """Polls the document ten times a second.

    Signals:
        playback_changed: The playback was paused, continued, or has ended.
        failed: The document can no longer be read; polling has stopped.
    """

    playback_changed = Signal()
    failed = Signal(str)

    def __init__(
        self, on_changes: Callable[[Changes], None], parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._on_changes = on_changes
        self._source: ChangeReader | Playback | None = None
        self._timer = QTimer(self, interval=_POLL_MS)
        self._timer.timeout.connect(self.poll)

    def start_following(self, source: ChangeReader | Playback) -> None:
        """Read the content, and start polling."""
        self._source = source
        self._timer.start()
        self.poll()

    def stop_following(self) -> None:
        """Stop polling."""
        self._timer.stop()
        if self._source is not None:
            self._source.close()
        self._source = None

    def prefer(self, run_id: int | None) -> None:
        """Read this run's trials before those of other runs."""
        if isinstance(self._source, ChangeReader):
            self._source.prefer(run_id)

    def poll(self) -> None:
        """Poll now."""
        if self._source is None:
            return
        try:
            changes = self._source.read_changes()
        except StudioError as error:
            self._timer.stop()
            self.failed.emit(translate(str(error)))
            return
        has_more = changes is not None and changes.has_more
        self._timer.setInterval(_CONTINUE_POLL_MS if has_more else _POLL_MS)
        if changes is not None:
            self._on_changes(changes)
            if self.playback is not None and self.playback.is_finished:
                self.playback_changed.emit()

    @property
    def playback(self) -> Playback | None:
        """The playback; ``None`` if runs are followed live."""
        return self._source if isinstance(self._source, Playback) else None

    def set_paused(self, paused: bool) -> None:
        """Pause or continue the playback."""
        if self.playback is not None:
            self.playback.paused = paused
            self.playback_changed.emit()
